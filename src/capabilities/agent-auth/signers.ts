import { Inject, Injectable } from '@nestjs/common';
import { agents, type SigningKeyDocument, signingKeys } from '../../../projections/agents.projection';
import { CommandRunner } from '../../platform/event-store/run-command';
import { type ErrorCode } from '../../kernel/error-catalogue';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { verifySignature } from '../../platform/secrets/ed25519';
import { type ParsedAssertion } from './assertion-text';
import { merchantIsActive, objectionTo, signingAgent } from './signing-agent';
import { type AgentId, type CredentialId, type MerchantId } from '../../kernel/aggregates';

export type Signer = Readonly<{
  agentId: AgentId;
  merchantId: MerchantId;
  credentialId: CredentialId;
  credentialExpiresAt: string;
  /** Why the signer is refused, if it is. */
  objection: ErrorCode | undefined;
}>;

type Candidate = Pick<SigningKeyDocument, 'id' | 'agent_id' | 'public_key'>;
type Candidates = Readonly<{ candidates: readonly Candidate[]; more: boolean }>;

export type Search = Readonly<{
  signer: Signer | undefined;
  /** No key matched, and more keys have this kid than are tried for a caller that does not name its agent. */
  ambiguous: boolean;
}>;

/**
 * Many agents may use the same kid, and trying all their keys would be too expensive for an unauthenticated call. The
 * newest are tried, so that older keys cannot lock out a newly registered one.
 */
export const MAX_KEYS_TRIED = 32;
/** How many ended keys to try, so that their holders learn that the key has ended. */
const MAX_ENDED_KEYS_TRIED = 4;

/** Verified against when no key has this kid, so that the response takes as long as for a known kid. */
const DUMMY_KEY = 'PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw';

/** Finds the credential whose key made a signature. The read model proposes, the log decides. */
@Injectable()
export class Signers {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  /** A key may have belonged to another credential before: a credential that is accepted wins, then the latest. */
  async whoSigned({ kid, claims, signed, signature }: ParsedAssertion, now: Date): Promise<Search> {
    const { candidates, more } = await (claims.agentId === undefined
      ? this.keysWithKid(kid)
      : this.keysOf(claims.agentId, kid));
    let found: Signer | undefined;
    for (const candidate of candidates) {
      if (!verifySignature(candidate.public_key, signed, signature)) continue;
      const signer = await this.signer(candidate, now);
      if (signer !== undefined && signer.objection === undefined) return { signer, ambiguous: false };
      found ??= signer;
    }
    if (candidates.length === 0) verifySignature(DUMMY_KEY, signed, signature);
    return { signer: found, ambiguous: found === undefined && more };
  }

  private async keysOf(agentId: AgentId, kid: string): Promise<Candidates> {
    const agent = await this.readModel.get(agents, agentId);
    const keys = (agent?.credentials ?? []).filter((key) => key.kid === kid && key.activated_at !== null);
    const candidates = keys
      .reverse()
      .map(({ credential_id, public_key }) => ({ id: credential_id, agent_id: agentId, public_key }));
    return { candidates, more: false };
  }

  private async keysWithKid(kid: string): Promise<Candidates> {
    const newest = async (state: SigningKeyDocument['state'], limit: number) =>
      this.readModel.find(signingKeys, 'by_kid', [kid, state], { limit, order: 'desc' });
    const [active, ended] = await Promise.all([
      newest('active', MAX_KEYS_TRIED),
      newest('ended', MAX_ENDED_KEYS_TRIED),
    ]);
    const candidates = [...active.documents, ...ended.documents];
    // Ignore whether there are more ended keys: that would reveal that other merchants ended keys with this kid, too.
    return { candidates, more: active.next !== null };
  }

  private async signer({ id, agent_id: agentId, public_key }: Candidate, now: Date): Promise<Signer | undefined> {
    const { state: agent } = await this.commands.fold(signingAgent, agentId);
    const credential = agent?.credentials.get(id);
    if (agent === null || credential?.publicKey !== public_key) return undefined;
    const { state: merchantActive } = await this.commands.fold(merchantIsActive, agent.merchantId);
    return {
      agentId,
      merchantId: agent.merchantId,
      credentialId: id,
      credentialExpiresAt: credential.expiresAt,
      objection: objectionTo(credential, agent, merchantActive, now),
    };
  }
}
