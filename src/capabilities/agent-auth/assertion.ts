import { type Decider, SHORT_LIVED_KEPT } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { type AssertionEvent } from '../../events/assertion.events';
import { type AgentId, type AssertionId, type CredentialId, type MerchantId } from '../../kernel/aggregates';

export type AcceptAssertion = Readonly<{
  kind: 'accept';
  assertionId: AssertionId;
  agentId: AgentId;
  merchantId: MerchantId;
  credentialId: CredentialId;
  jti: string;
  tokenHash: string;
  at: string;
  tokenExpiresAt: string;
}>;

export type AcceptedAssertion = Readonly<{
  agentId: AgentId;
  merchantId: MerchantId;
  credentialId: CredentialId;
  tokenHash: string;
  tokenExpiresAt: string;
}>;

/** A signed assertion exchanged for a token. Its stream id derives from credential and jti, so it exists only once. */
export const assertion: Decider<AcceptedAssertion | null, AcceptAssertion, AssertionEvent> = {
  category: 'assertion',
  initial: null,
  kept: SHORT_LIVED_KEPT,

  decide(command, state) {
    if (state?.tokenHash === command.tokenHash) return [];
    if (state !== null) throw refuse('assertion_replayed');
    return [
      {
        type: 'AssertionAccepted',
        data: {
          assertion_id: command.assertionId,
          agent_id: command.agentId,
          merchant_id: command.merchantId,
          credential_id: command.credentialId,
          jti: command.jti,
          token_hash: command.tokenHash,
          accepted_at: command.at,
          token_expires_at: command.tokenExpiresAt,
        },
      },
    ];
  },

  evolve: (_state, { data }) => ({
    agentId: data.agent_id,
    merchantId: data.merchant_id,
    credentialId: data.credential_id,
    tokenHash: data.token_hash,
    tokenExpiresAt: data.token_expires_at,
  }),
};
