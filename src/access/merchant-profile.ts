import { notFollowed } from '../kernel/assert-never';
import { type Fold } from '../kernel/decider';
import { type MerchantEvent } from '../events/merchant.events';

/** What a person is shown about the merchant behind an agent. The domain is the one that made it active. */
export type MerchantProfile = Readonly<{ name: string; domain: string }>;

export const merchantProfile: Fold<MerchantProfile, MerchantEvent> = {
  category: 'merchant',
  initial: { name: '', domain: '' },

  evolve(state, event) {
    switch (event.type) {
      case 'MerchantCreated':
      case 'MerchantRenamed':
        return { ...state, name: event.data.name };
      case 'MerchantDomainVerified':
        return state.domain === '' ? { ...state, domain: event.data.domain } : state;
      case 'MerchantDomainRegistered':
      case 'MerchantActivated':
        return state;
      default:
        return notFollowed(event, state);
    }
  },
};
