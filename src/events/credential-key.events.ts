// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type AgentId, type CredentialId } from '../kernel/aggregates';

/** One stream per public key: who holds it. A key that is active for one credential cannot be claimed for another. */
export type CredentialKeyClaimed = Readonly<{
  type: 'CredentialKeyClaimed';
  data: Readonly<{ key_id: string; agent_id: AgentId; credential_id: CredentialId; claimed_at: string }>;
}>;

export type CredentialKeyEvent = CredentialKeyClaimed;
