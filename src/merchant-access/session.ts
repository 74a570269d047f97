import { assertNever } from '../kernel/assert-never';
import { type Decider } from '../kernel/decider';
import { refuse } from '../kernel/errors';
import { SESSION_IDLE_SECONDS, SESSION_USE_NOTED_SECONDS } from './lifetimes';
import { type SessionEvent } from './session.events';

export type SessionDelivery = 'cookie' | 'bearer';

export type SessionCommand = Readonly<
  | {
      kind: 'open';
      sessionId: string;
      accountId: string;
      merchantId: string;
      delivery: SessionDelivery;
      tokenHash: string;
      at: string;
      expiresAt: string;
    }
  | { kind: 'use'; sessionId: string; at: string }
  | { kind: 'end'; sessionId: string; at: string }
>;

export type OpenSession = Readonly<{
  status: 'open';
  accountId: string;
  merchantId: string;
  tokenHash: string;
  expiresAt: string;
  usedAt: string;
}>;

export type SessionState = Readonly<{ status: 'unknown' } | OpenSession | { status: 'ended' }>;

/** An operator at work for one merchant. Several may be open at once; each ends by itself. */
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
      case 'use':
        if (state.status !== 'open') throw refuse('invalid_token');
        if (hasRunOut(state, command.at)) throw refuse('token_expired');
        if (!isUseWorthNoting(state, command.at)) return [];
        return [{ type: 'SessionUsed', data: { session_id: command.sessionId, used_at: command.at } }];
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
        const { account_id: accountId, merchant_id: merchantId, token_hash: tokenHash } = event.data;
        const { opened_at: usedAt, expires_at: expiresAt } = event.data;
        return { status: 'open', accountId, merchantId, tokenHash, expiresAt, usedAt };
      }
      case 'SessionUsed':
        return state.status === 'open' ? { ...state, usedAt: event.data.used_at } : state;
      case 'SessionEnded':
        return { status: 'ended' };
      default:
        return assertNever(event);
    }
  },
};

/** Over after its hours, and before that when nobody used it for a while. */
export const hasRunOut = ({ expiresAt, usedAt }: OpenSession, at: string): boolean =>
  at >= expiresAt || secondsBetween(usedAt, at) >= SESSION_IDLE_SECONDS;

/** Every request is a use; writing each down would cost more than it tells. */
export const isUseWorthNoting = ({ usedAt }: OpenSession, at: string): boolean =>
  secondsBetween(usedAt, at) >= SESSION_USE_NOTED_SECONDS;

const secondsBetween = (earlier: string, later: string): number => (Date.parse(later) - Date.parse(earlier)) / 1000;
