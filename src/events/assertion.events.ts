// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type AgentId, type AssertionId, type CredentialId, type MerchantId } from '../kernel/aggregates';

/** One stream per credential and jti: its existence marks the jti as used. Also holds the hash of the issued token. */
export type AssertionAccepted = Readonly<{
  type: 'AssertionAccepted';
  data: Readonly<{
    assertion_id: AssertionId;
    agent_id: AgentId;
    merchant_id: MerchantId;
    credential_id: CredentialId;
    jti: string;
    token_hash: string;
    accepted_at: string;
    token_expires_at: string;
  }>;
}>;

export type AssertionEvent = AssertionAccepted;
