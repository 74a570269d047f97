import { type Decider } from '../../kernel/decider';
import { type MerchantEvent } from '../../events/merchant.events';
import { type AccountId, type MerchantId } from '../../kernel/aggregates';

export type OrganizationCommand = Readonly<{
  kind: 'open';
  merchantId: MerchantId;
  accountId: AccountId;
  name: string;
  at: string;
}>;

export type OrganizationState = Readonly<{ opened: boolean }>;

/**
 * The first event of a merchant: a grant was spent on it, so it is decided here. Everything that happens to the
 * merchant afterwards belongs to the merchants folder.
 */
export const organization: Decider<OrganizationState, OrganizationCommand, MerchantEvent> = {
  category: 'merchant',
  initial: { opened: false },

  decide({ merchantId, accountId, name, at }, { opened }) {
    if (opened) return [];
    return [
      {
        type: 'MerchantCreated',
        data: { merchant_id: merchantId, account_id: accountId, name, created_at: at },
      },
    ];
  },

  evolve: () => ({ opened: true }),
};
