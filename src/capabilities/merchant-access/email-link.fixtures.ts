import { type EmailLinkEvent } from '../../events/email-link.events';

const linkId = 'lnk_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const accountId = 'mac_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const at = '2030-01-01T00:00:00.000Z';
const expiresAt = '2030-01-01T00:15:00.000Z';

export const issue = { kind: 'issue', linkId, accountId, tokenHash: 'h1', at, expiresAt } as const;
export const spend = { kind: 'spend', linkId, grantId: 'grt_1', at: '2030-01-01T00:14:59.999Z' } as const;
export const spendByAnother = { ...spend, grantId: 'grt_2' } as const;
export const spendTooLate = { ...spend, at: expiresAt } as const;

export const issued: EmailLinkEvent = {
  type: 'EmailLinkIssued',
  data: { link_id: linkId, account_id: accountId, token_hash: 'h1', issued_at: at, expires_at: expiresAt },
};
export const spent: EmailLinkEvent = {
  type: 'EmailLinkSpent',
  data: { link_id: linkId, account_id: accountId, grant_id: 'grt_1', spent_at: spend.at },
};
