import { type Decider } from '../../kernel/decider';
import { type MerchantAccountEvent } from '../../events/merchant-account.events';
import { type AccountId } from '../../kernel/aggregates';

export type MerchantAccountCommand = Readonly<{
  kind: 'register';
  accountId: AccountId;
  keyId: string;
  emailSealed: string;
  at: string;
}>;

/** The key the address was last sealed with; null if it was not sealed with a key of the person's own. */
export type MerchantAccountState = Readonly<{ keyId: string | null }>;

/** A person who operates merchants. The id derives from the address, so one address has one account. */
export const merchantAccount: Decider<MerchantAccountState, MerchantAccountCommand, MerchantAccountEvent> = {
  category: 'merchant_account',
  initial: { keyId: null },

  decide({ accountId, keyId, emailSealed, at }, known) {
    if (known.keyId === keyId) return [];
    return [
      {
        type: 'MerchantAccountAddressSealed',
        data: { account_id: accountId, key_id: keyId, email_sealed: emailSealed, sealed_at: at },
      },
    ];
  },

  evolve: (state, event) => (event.type === 'MerchantAccountAddressSealed' ? { keyId: event.data.key_id } : state),
};
