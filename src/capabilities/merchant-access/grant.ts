import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { type Refusal, refuse } from '../../kernel/errors';
import { type GrantEvent } from '../../events/grant.events';
import { type AccountId, type GrantId, type MerchantId, type SessionId } from '../../kernel/aggregates';

export type GrantCommand = Readonly<
  | {
      kind: 'issue';
      grantId: GrantId;
      accountId: AccountId;
      merchantId: MerchantId | null;
      tokenHash: string;
      at: string;
      expiresAt: string;
    }
  | { kind: 'spend-on-merchant'; grantId: GrantId; merchantId: MerchantId; name: string; at: string }
  | { kind: 'spend-on-session'; grantId: GrantId; merchantId: MerchantId; sessionId: SessionId; at: string }
>;

type Issued = Readonly<{
  status: 'issued';
  accountId: AccountId;
  /** The one merchant it is for; null lets the person choose one or create a new one. */
  merchantId: MerchantId | null;
  tokenHash: string;
  expiresAt: string;
}>;

/** What it was spent on: a merchant with its name, or a session. */
type Spent = Readonly<{ status: 'spent'; on: string; name: string | null }>;

export type GrantState = Readonly<{ status: 'unknown' } | Issued | Spent>;

/** A step on the way from a mail to a session. It can be spent on one organization or one session, never both. */
export const grant: Decider<GrantState, GrantCommand, GrantEvent> = {
  category: 'grant',
  initial: { status: 'unknown' },

  decide(command, state) {
    switch (command.kind) {
      case 'issue': {
        if (state.status !== 'unknown') return [];
        const { grantId, accountId, merchantId, tokenHash, at, expiresAt } = command;
        return [
          {
            type: 'GrantIssued',
            data: {
              grant_id: grantId,
              account_id: accountId,
              merchant_id: merchantId,
              token_hash: tokenHash,
              issued_at: at,
              expires_at: expiresAt,
            },
          },
        ];
      }
      case 'spend-on-merchant': {
        const { grantId, merchantId, name, at } = command;
        if (state.status === 'spent' && state.on === merchantId && state.name === name) return [];
        const { accountId, merchantId: bound } = usable(state, at);
        if (bound !== null) throw invalid();
        return [
          {
            type: 'GrantSpentOnMerchant',
            data: { grant_id: grantId, account_id: accountId, merchant_id: merchantId, name, spent_at: at },
          },
        ];
      }
      case 'spend-on-session': {
        const { grantId, merchantId, sessionId, at } = command;
        if (state.status === 'spent' && state.on === sessionId) return [];
        const { accountId, merchantId: bound } = usable(state, at);
        if (bound !== null && bound !== merchantId) throw invalid();
        return [
          {
            type: 'GrantSpentOnSession',
            data: {
              grant_id: grantId,
              account_id: accountId,
              merchant_id: merchantId,
              session_id: sessionId,
              spent_at: at,
            },
          },
        ];
      }
      default:
        return assertNever(command);
    }
  },

  evolve(_state, event) {
    switch (event.type) {
      case 'GrantIssued': {
        const {
          account_id: accountId,
          merchant_id: merchantId,
          token_hash: tokenHash,
          expires_at: expiresAt,
        } = event.data;
        return { status: 'issued', accountId, merchantId, tokenHash, expiresAt };
      }
      case 'GrantSpentOnMerchant':
        return { status: 'spent', on: event.data.merchant_id, name: event.data.name };
      case 'GrantSpentOnSession':
        return { status: 'spent', on: event.data.session_id, name: null };
      default:
        return assertNever(event);
    }
  },
};

/** Unknown, spent and expired get the same response: which one it was must not leak. */
const invalid = (): Refusal => refuse('invalid_grant');

function usable(state: GrantState, at: string): Issued {
  if (state.status !== 'issued' || at >= state.expiresAt) throw invalid();
  return state;
}
