import { notFollowed } from '../kernel/assert-never';
import { type Fold } from '../kernel/decider';
import { type MerchantEvent } from '../events/merchant.events';

/** What a person is shown about the merchant behind an agent: the domain proven first of those whose proofs hold. */
export type MerchantProfile = Readonly<{
  name: string;
  domain: string;
  proven: readonly Readonly<{ id: string; domain: string }>[];
}>;

export const merchantProfile: Fold<MerchantProfile, MerchantEvent> = {
  category: 'merchant',
  initial: { name: '', domain: '', proven: [] },

  evolve(state, event) {
    switch (event.type) {
      case 'MerchantCreated':
      case 'MerchantRenamed':
        return { ...state, name: event.data.name };
      case 'MerchantDomainVerified': {
        const { domain_id: id, domain } = event.data;
        return withProven(state, [...state.proven.filter((one) => one.id !== id), { id, domain }]);
      }
      case 'MerchantDomainSuperseded':
      case 'MerchantDomainGivenUp':
        return withProven(
          state,
          state.proven.filter(({ id }) => id !== event.data.domain_id),
        );
      case 'MerchantDomainRegistered':
      case 'MerchantActivated':
        return state;
      default:
        return notFollowed(event, state);
    }
  },
};

const withProven = (state: MerchantProfile, proven: MerchantProfile['proven']): MerchantProfile => ({
  ...state,
  proven,
  domain: proven[0]?.domain ?? '',
});
