import { type GrantEvent } from '../../events/grant.events';
import { type MerchantId } from '../../kernel/aggregates';

const grantId = 'grt_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const accountId = 'mac_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const at = '2030-01-01T00:00:00.000Z';
const inTime = '2030-01-01T00:09:59.999Z';
export const expiresAt = '2030-01-01T00:10:00.000Z';

export const issue = {
  kind: 'issue',
  grantId,
  accountId,
  merchantId: null,
  tokenHash: 'h1',
  at,
  expiresAt,
} as const;
export const issueBound = { ...issue, merchantId: 'mer_1' } as const;
export const spendOnMerchant = {
  kind: 'spend-on-merchant',
  grantId,
  merchantId: 'mer_new',
  name: 'Shop',
  at: inTime,
} as const;
export const spendOnSession = {
  kind: 'spend-on-session',
  grantId,
  merchantId: 'mer_1',
  sessionId: 'ses_1',
  at: inTime,
} as const;

const issuedFor = (merchant_id: MerchantId | null): GrantEvent => ({
  type: 'GrantIssued',
  data: {
    grant_id: grantId,
    account_id: accountId,
    merchant_id,
    token_hash: 'h1',
    issued_at: at,
    expires_at: expiresAt,
  },
});
export const issued = issuedFor(null);
export const issuedBound = issuedFor('mer_1');
export const spentOnMerchant: GrantEvent = {
  type: 'GrantSpentOnMerchant',
  data: { grant_id: grantId, account_id: accountId, merchant_id: 'mer_new', name: 'Shop', spent_at: inTime },
};
export const spentOnSession: GrantEvent = {
  type: 'GrantSpentOnSession',
  data: {
    grant_id: grantId,
    account_id: accountId,
    merchant_id: 'mer_1',
    session_id: 'ses_1',
    spent_at: inTime,
  },
};
