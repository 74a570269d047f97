import { type Issue, refuse, refuseInput } from '../../kernel/errors';
import { type MaybeUnderKey, repeated, underKey } from '../../kernel/made-under-key';
import { type AgentCredentialRegistered, type AgentEvent, type RevocationReason } from '../../events/agent.events';
import { type AgentId, type CredentialId, type MerchantId } from '../../kernel/aggregates';

/** An agent's public key. It becomes active once its holder has signed a challenge with the private key. */
export type Credential = Readonly<{
  kid: string;
  publicKey: string;
  notBefore: string;
  expiresAt: string;
  status: 'pending' | 'active' | 'revoked';
  /** Set only when revoked. */
  revokedAs: RevocationReason | null;
  challengeHash: string;
  challengeExpiresAt: string;
  failedProofs: number;
  registeredAt: string;
  under: MaybeUnderKey;
}>;
export type Credentials = ReadonlyMap<string, Credential>;

type About = Readonly<{ agentId: AgentId; merchantId: MerchantId; credentialId: CredentialId; at: string }>;

export type RegisterCredential = About &
  Readonly<{
    kind: 'register-credential';
    kid: string;
    publicKey: string;
    notBefore: string;
    expiresAt: string;
    challengeHash: string;
    challengeExpiresAt: string;
    under?: MaybeUnderKey | undefined;
  }>;
/** The handler has already verified the signature: a credential's key never changes. */
export type ProveCredential = About &
  Readonly<{ kind: 'prove-credential'; challengeHash: string; signatureValid: boolean }>;
export type RevokeCredential = About & Readonly<{ kind: 'revoke-credential'; reason: RevocationReason }>;

/** An agent's document holds all its credentials, so their number is bounded. */
const MAX_CREDENTIALS = 500;
const MAX_FAILED_PROOFS = 5;
/** The longest an activation decided just before its challenge expired may take to reach the log. */
const LATE_ACTIVATION_MS = 5 * 60_000;

export const credentialFrom = (data: AgentCredentialRegistered['data']): Credential => ({
  kid: data.kid,
  publicKey: data.public_key,
  notBefore: data.not_before,
  expiresAt: data.expires_at,
  status: 'pending',
  revokedAs: null,
  challengeHash: data.challenge_hash,
  challengeExpiresAt: data.challenge_expires_at,
  failedProofs: 0,
  registeredAt: data.registered_at,
  under: underKey(data),
});

export function registerCredential(command: RegisterCredential, credentials: Credentials): readonly AgentEvent[] {
  const known = credentials.get(command.credentialId);
  if (known !== undefined) return repeated(known.under, command.under);
  const issues = [...kidIssues(command, credentials), ...validityIssues(command), ...countIssues(credentials)];
  if (issues.length > 0) throw refuseInput(issues);
  return [
    {
      type: 'AgentCredentialRegistered',
      data: {
        ...idsOf(command),
        kid: command.kid,
        alg: 'Ed25519',
        public_key: command.publicKey,
        not_before: command.notBefore,
        expires_at: command.expiresAt,
        challenge_hash: command.challengeHash,
        challenge_expires_at: command.challengeExpiresAt,
        registered_at: command.at,
        ...underKey(command.under),
      },
    },
  ];
}

/** Each failed attempt is an event of its own, so sending the same wrong proof twice counts as two attempts. */
export function proveCredential(command: ProveCredential, credential: Credential): readonly AgentEvent[] {
  const { challengeHash, signatureValid, at } = command;
  if (credential.status === 'revoked') throw refuse('credential_revoked');
  if (credential.status === 'active' || !isChallengeOpen(credential, at)) throw refuse('challenge_expired');
  if (isExpired(credential, at)) throw refuse('credential_not_valid');
  if (challengeHash !== credential.challengeHash || !signatureValid) {
    return [{ type: 'AgentCredentialProofFailed', data: { ...idsOf(command), failed_at: at } }];
  }
  return [{ type: 'AgentCredentialActivated', data: { ...idsOf(command), activated_at: at } }];
}

/** A rotated credential may later turn out to be compromised; a compromised one stays compromised. */
export function revokeCredential(command: RevokeCredential, credential: Credential): readonly AgentEvent[] {
  const { reason, at } = command;
  const isWorse = credential.revokedAs === 'rotated' && reason === 'compromised';
  if (credential.status === 'revoked' && !isWorse) return [];
  return [{ type: 'AgentCredentialRevoked', data: { ...idsOf(command), reason, revoked_at: at } }];
}

export const isExpired = ({ expiresAt }: Credential, at: string): boolean => Date.parse(expiresAt) <= Date.parse(at);

export const isInUse = (credential: Credential, at: string): boolean =>
  credential.status === 'active' && !isExpired(credential, at);

/** Whether the key still belongs to this credential: it is in use, or its activation may still be in flight. */
export function holdsItsKey(credential: Credential, at: string): boolean {
  const withPatience = new Date(Date.parse(at) - LATE_ACTIVATION_MS).toISOString();
  return isInUse(credential, at) || (credential.status === 'pending' && isChallengeOpen(credential, withPatience));
}

const isChallengeOpen = ({ challengeExpiresAt, failedProofs }: Credential, at: string): boolean =>
  failedProofs < MAX_FAILED_PROOFS && Date.parse(at) < Date.parse(challengeExpiresAt);

/** A kid names one key forever; it is free again only if its key was never proven and no longer can be. */
export function kidIssues(
  { kid, at }: Pick<RegisterCredential, 'kid' | 'at'>,
  credentials: Credentials,
): readonly Issue[] {
  const taken = [...credentials.values()].some(
    (credential) => credential.kid === kid && (credential.status !== 'pending' || isChallengeOpen(credential, at)),
  );
  return taken
    ? [{ code: 'taken', field: 'kid', message: 'is already used by another credential of this agent; choose another' }]
    : [];
}

export function validityIssues({
  notBefore,
  expiresAt,
  at,
}: Pick<RegisterCredential, 'notBefore' | 'expiresAt' | 'at'>): readonly Issue[] {
  const [from, until, now] = [Date.parse(notBefore), Date.parse(expiresAt), Date.parse(at)];
  const issue = (code: string, message: string): Issue => ({ code, field: 'expires_at', message });
  return [
    ...(until <= now ? [issue('in_the_past', 'must be in the future')] : []),
    ...(until <= from ? [issue('out_of_range', 'must be later than not_before')] : []),
  ];
}

export const countIssues = (credentials: Credentials): readonly Issue[] =>
  credentials.size < MAX_CREDENTIALS
    ? []
    : [{ code: 'too_many', field: '', message: `an agent has at most ${MAX_CREDENTIALS} credentials; create another` }];

const idsOf = ({ agentId, merchantId, credentialId }: About) => ({
  agent_id: agentId,
  merchant_id: merchantId,
  credential_id: credentialId,
});
