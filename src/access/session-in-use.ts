import { type SessionEvent } from '../events/session.events';
import { type AccountId, type MerchantId } from '../kernel/aggregates';
import { notFollowed } from '../kernel/assert-never';
import { type Fold } from '../kernel/decider';

export type OpenSession = Readonly<{
  accountId: AccountId;
  merchantId: MerchantId;
  tokenHash: string;
  expiresAt: string;
}>;

/** An operator's session, until it is ended. */
export const sessionInUse: Fold<OpenSession | undefined, SessionEvent> = {
  category: 'session',
  initial: undefined,

  evolve(state, event) {
    switch (event.type) {
      case 'SessionOpened': {
        const { account_id: accountId, merchant_id: merchantId } = event.data;
        return { accountId, merchantId, tokenHash: event.data.token_hash, expiresAt: event.data.expires_at };
      }
      case 'SessionUsed':
        return state;
      case 'SessionEnded':
        return undefined;
      default:
        return notFollowed(event, state);
    }
  },
};
