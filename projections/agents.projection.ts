import { notFollowed } from '../src/kernel/assert-never';
import { type AgentEvent, type AgentStatus, type RevocationReason } from '../src/events/agent.events';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { change, collection, create, ignored, type Projection, type Step } from '../src/platform/read-model/projection';
import { type AgentId, type CredentialId, type MerchantId } from '../src/kernel/aggregates';

/** The public parts: without the challenge and its hash. */
export type CredentialDocument = Readonly<{
  credential_id: CredentialId;
  kid: string;
  alg: 'Ed25519';
  public_key: string;
  status: 'pending' | 'active' | 'revoked';
  not_before: string;
  expires_at: string;
  proof_challenge_expires_at: string;
  created_at: string;
  activated_at: string | null;
  revoked_at: string | null;
  revocation_reason: RevocationReason | null;
}>;

export type AgentDocument = Readonly<{
  id: AgentId;
  merchant_id: MerchantId;
  name: string;
  runtime: string;
  environment: string;
  allowed_scopes: readonly string[];
  status: AgentStatus;
  /** In order of registration. */
  credentials: readonly CredentialDocument[];
  created_at: string;
  updated_at: string;
  version: number;
  /** Until it is revoked; null keeps it out of the index. */
  in_use: true | null;
}>;

/** Looked up by an assertion's kid: agents choose their kids, so several agents may use the same one. */
export type SigningKeyDocument = Readonly<{
  id: CredentialId;
  agent_id: AgentId;
  kid: string;
  public_key: string;
  /** Only a proven key can have signed anything; an ended one still shows who signed, and why it no longer counts. */
  state: 'unproven' | 'active' | 'ended';
  registered_at: string;
}>;

export const agents = collection<AgentDocument>('agents', {
  by_merchant: { equals: ['merchant_id'], sort: 'created_at' },
  in_use: { equals: ['merchant_id', 'in_use'], sort: 'created_at' },
});

export const signingKeys = collection<SigningKeyDocument>('agent_signing_keys', {
  by_kid: { equals: ['kid', 'state'], sort: 'registered_at' },
});

export const agentsProjection: Projection = {
  name: 'agents',
  version: 4,
  collections: [agents, signingKeys],
  project: (recorded) => steps(recorded as RecordedEvent & AgentEvent),
};

function steps(event: RecordedEvent & AgentEvent): readonly Step[] {
  switch (event.type) {
    case 'AgentCreated': {
      const { agent_id: id, created_at, idempotency_key: _key, intent_digest: _intent, ...rest } = event.data;
      return [
        create(agents, {
          id,
          ...rest,
          status: 'pending',
          credentials: [],
          created_at,
          updated_at: created_at,
          version: 1,
          in_use: true,
        }),
      ];
    }
    case 'AgentStatusChanged': {
      const { status, changed_at } = event.data;
      return [
        touch(event, changed_at, ({ version }) => ({
          status,
          version: version + 1,
          in_use: status === 'revoked' ? null : true,
        })),
      ];
    }
    case 'AgentDetailsChanged': {
      const { name, allowed_scopes, changed_at } = event.data;
      return [touch(event, changed_at, ({ version }) => ({ name, allowed_scopes, version: version + 1 }))];
    }
    case 'AgentCredentialRegistered': {
      const { credential_id, agent_id, kid, alg, public_key, not_before, expires_at, registered_at } = event.data;
      const credential: CredentialDocument = {
        credential_id,
        kid,
        alg,
        public_key,
        status: 'pending',
        not_before,
        expires_at,
        proof_challenge_expires_at: event.data.challenge_expires_at,
        created_at: registered_at,
        activated_at: null,
        revoked_at: null,
        revocation_reason: null,
      };
      return [
        touch(event, registered_at, ({ credentials }) => ({ credentials: [...credentials, credential] })),
        create(signingKeys, { id: credential_id, agent_id, kid, public_key, state: 'unproven', registered_at }),
      ];
    }
    case 'AgentCredentialProofFailed':
      return [touch(event, event.data.failed_at, () => ({}))];
    case 'AgentCredentialActivated': {
      const { credential_id: id, activated_at } = event.data;
      return [
        touch(event, activated_at, (current) => replace(current, id, { status: 'active', activated_at })),
        change(signingKeys, id, (key) => ({ ...key, state: 'active' as const })),
      ];
    }
    case 'AgentCredentialRevoked': {
      const { credential_id: id, revoked_at, reason = 'rotated' } = event.data;
      const revoked = { status: 'revoked', revoked_at, revocation_reason: reason } as const;
      return [
        touch(event, revoked_at, (current) => replace(current, id, revoked)),
        change(signingKeys, id, (key) => (key.state === 'active' ? { ...key, state: 'ended' as const } : key)),
      ];
    }
    default:
      return notFollowed(event, ignored);
  }
}

const replace = (
  { credentials }: AgentDocument,
  id: string,
  changes: Partial<CredentialDocument>,
): Partial<AgentDocument> => ({
  credentials: credentials.map((credential) =>
    credential.credential_id === id ? { ...credential, ...changes } : credential,
  ),
});

const touch = (
  { data }: RecordedEvent & AgentEvent,
  at: string,
  changes: (current: AgentDocument) => Partial<AgentDocument>,
): Step => change(agents, data.agent_id, (current) => ({ ...current, ...changes(current), updated_at: at }));
