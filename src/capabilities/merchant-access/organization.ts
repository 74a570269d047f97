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
 * The first event of a merchant: it is what a grant was spent on, so it is decided here. All that happens to the
 * merchant afterwards is the business of the merchants folder.
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
