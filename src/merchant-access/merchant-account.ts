import { type Decider } from '../kernel/decider';
import { type MerchantAccountEvent } from './merchant-account.events';

export type MerchantAccountCommand = Readonly<{ kind: 'register'; accountId: string; emailSealed: string; at: string }>;

export type MerchantAccountState = Readonly<{ registered: boolean }>;

/** A person who operates merchants. The id follows from the address, so one address has one account. */
export const merchantAccount: Decider<MerchantAccountState, MerchantAccountCommand, MerchantAccountEvent> = {
  category: 'merchant_account',
  initial: { registered: false },

  decide({ accountId, emailSealed, at }, { registered }) {
    if (registered) return [];
    return [
      {
        type: 'MerchantAccountRegistered',
        data: { account_id: accountId, email_sealed: emailSealed, registered_at: at },
      },
    ];
  },

  evolve: () => ({ registered: true }),
};
