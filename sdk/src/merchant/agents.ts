import { type AgentKeyPair, signChallenge } from '../agent-key.ts';
import { type CallOptions, type KeyedOptions, path } from '../transport.ts';
import { type NextCursor, type Page, type Scope } from '../types/common.ts';
import { type Agent, type AgentWithCredential, type NewAgent, type RevocationReason } from '../types/merchant.ts';
import { type MerchantSession } from './session.ts';

type NewCredential = Readonly<{ kid: string; public_key: string; not_before: string; expires_at: string }>;

type RegisteredForProof = AgentWithCredential &
  Readonly<{ proof_challenge: string; proof_challenge_expires_at: string }>;

type AgentChange = Readonly<{
  version: number;
  status?: 'active' | 'suspended' | 'revoked';
  name?: string;
  allowed_scopes?: readonly Scope[];
}>;

const YEAR_MS = 365 * 24 * 3_600_000;
/** The service accepts assertions from a clock this far ahead; a key that begins in its future is refused until then. */
const ALLOWED_SKEW_MS = 60_000;

export class MerchantAgents {
  constructor(private readonly session: MerchantSession) {}

  async create(input: NewAgent, options?: KeyedOptions): Promise<Agent> {
    const body = { environment: 'testnet', ...input };
    return (await this.session.make<{ agent: Agent }>('/v1/agents', body, options)).agent;
  }

  async change(id: string, input: AgentChange, options?: CallOptions): Promise<Agent> {
    return (await this.session.patch<{ agent: Agent }>(path`/v1/agents/${id}`, input, options)).agent;
  }

  list(query: Page = {}, options?: CallOptions) {
    return this.session.get<NextCursor & Readonly<{ agents: readonly Agent[] }>>('/v1/agents', query, options);
  }

  async read(id: string, options?: CallOptions): Promise<Agent> {
    return (await this.session.get<{ agent: Agent }>(path`/v1/agents/${id}`, {}, options)).agent;
  }

  registerCredential(id: string, input: NewCredential, options?: KeyedOptions) {
    const body = { alg: 'Ed25519', ...input };
    return this.session.make<RegisteredForProof>(path`/v1/agents/${id}/credentials`, body, options);
  }

  activateCredential(
    id: string,
    credentialId: string,
    proof: Readonly<{ challenge: string; signature: string }>,
    options?: CallOptions,
  ) {
    const place = path`/v1/agents/${id}/credentials/${credentialId}/activate`;
    return this.session.post<AgentWithCredential>(place, proof, options);
  }

  /**
   * Everything that came from it stops at once: tokens, claims and pairing sessions and, unless the reason is
   * `rotated`, the connections that were opened with it.
   */
  revokeCredential(
    id: string,
    credentialId: string,
    { reason = 'compromised', ...options }: CallOptions & Readonly<{ reason?: RevocationReason }> = {},
  ) {
    const place = path`/v1/agents/${id}/credentials/${credentialId}/revoke`;
    return this.session.post<AgentWithCredential>(place, { reason }, options);
  }

  /** Registers a key and proves possession. Only the public key and a signature leave this program. */
  async addKey(
    id: string,
    key: AgentKeyPair,
    input: Readonly<{ kid: string; not_before?: string; expires_at?: string }>,
    options?: CallOptions,
  ): Promise<AgentWithCredential> {
    const now = Date.now();
    const not_before = new Date(now - ALLOWED_SKEW_MS).toISOString();
    const validity = { not_before, expires_at: new Date(now + YEAR_MS).toISOString() };
    const asked = { ...validity, ...input, public_key: key.publicKey };
    const { credential, proof_challenge: challenge } = await this.registerCredential(id, asked, options);
    const proof = { challenge, signature: signChallenge(key, challenge) };
    return this.activateCredential(id, credential.credential_id, proof, options);
  }
}
