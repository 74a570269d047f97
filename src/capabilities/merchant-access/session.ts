import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { type SessionEvent } from '../../events/session.events';
import { type AccountId, type MerchantId, type SessionId } from '../../kernel/aggregates';

export type SessionDelivery = 'cookie' | 'bearer';

export type SessionCommand = Readonly<
  | {
      kind: 'open';
      sessionId: SessionId;
      accountId: AccountId;
      merchantId: MerchantId;
      delivery: SessionDelivery;
      tokenHash: string;
      at: string;
      expiresAt: string;
    }
  | { kind: 'end'; sessionId: SessionId; at: string }
>;

export type OpenSession = Readonly<{
  status: 'open';
  accountId: AccountId;
  merchantId: MerchantId;
  tokenHash: string;
  expiresAt: string;
}>;

export type SessionState = Readonly<{ status: 'unknown' } | OpenSession | { status: 'ended' }>;

/** An operator working for one merchant. Several sessions may be open at once; each ends on its own. */
export const session: Decider<SessionState, SessionCommand, SessionEvent> = {
  category: 'session',
  initial: { status: 'unknown' },

  decide(command, state) {
    switch (command.kind) {
      case 'open': {
        if (state.status !== 'unknown') return [];
        const { sessionId, accountId, merchantId, delivery, tokenHash, at, expiresAt } = command;
        return [
          {
            type: 'SessionOpened',
            data: {
              session_id: sessionId,
              account_id: accountId,
              merchant_id: merchantId,
              delivery,
              token_hash: tokenHash,
              opened_at: at,
              expires_at: expiresAt,
            },
          },
        ];
      }
      case 'end':
        if (state.status === 'unknown') throw refuse('invalid_token');
        if (state.status === 'ended') return [];
        return [{ type: 'SessionEnded', data: { session_id: command.sessionId, ended_at: command.at } }];
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'SessionOpened': {
        const { account_id: accountId, merchant_id: merchantId } = event.data;
        const { token_hash: tokenHash, expires_at: expiresAt } = event.data;
        return { status: 'open', accountId, merchantId, tokenHash, expiresAt };
      }
      case 'SessionUsed':
        return state;
      case 'SessionEnded':
        return { status: 'ended' };
      default:
        return assertNever(event);
    }
  },
};

export { hasRunOut } from '../../kernel/credential-rules';
