import { type AcceptAssertion } from './assertion';
import { type AssertionEvent } from '../../events/assertion.events';

const at = '2030-01-01T00:00:00.000Z';
const tokenExpiresAt = '2030-01-01T00:10:00.000Z';

export const accept: AcceptAssertion = {
  kind: 'accept',
  assertionId: 'ast_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  agentId: 'agt_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  merchantId: 'mer_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  credentialId: 'crd_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  jti: 'one',
  tokenHash: 'h1',
  at,
  tokenExpiresAt,
};

export const accepted: AssertionEvent = {
  type: 'AssertionAccepted',
  data: {
    assertion_id: accept.assertionId,
    agent_id: accept.agentId,
    merchant_id: accept.merchantId,
    credential_id: accept.credentialId,
    jti: 'one',
    token_hash: 'h1',
    accepted_at: at,
    token_expires_at: tokenExpiresAt,
  },
};
