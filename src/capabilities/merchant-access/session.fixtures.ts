import { type SessionEvent } from '../../events/session.events';

const sessionId = 'ses_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const accountId = 'mac_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const merchantId = 'mer_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const openedAt = '2030-01-01T00:00:00.000Z';
const expiresAt = '2030-01-01T08:00:00.000Z';

export const open = {
  kind: 'open',
  sessionId,
  accountId,
  merchantId,
  delivery: 'cookie',
  tokenHash: 'h1',
  at: openedAt,
  expiresAt,
} as const;
export const end = { kind: 'end', sessionId, at: '2030-01-01T00:00:30.000Z' } as const;

export const opened: SessionEvent = {
  type: 'SessionOpened',
  data: {
    session_id: sessionId,
    account_id: accountId,
    merchant_id: merchantId,
    delivery: 'cookie',
    token_hash: 'h1',
    opened_at: openedAt,
    expires_at: expiresAt,
  },
};
export const usedAt = (time: string): SessionEvent => ({
  type: 'SessionUsed',
  data: { session_id: sessionId, used_at: `2030-01-01T${time}Z` },
});
export const ended: SessionEvent = { type: 'SessionEnded', data: { session_id: sessionId, ended_at: end.at } };
