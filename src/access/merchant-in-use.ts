import { type MerchantEvent } from '../events/merchant.events';
import { type Fold } from '../kernel/decider';

/** Whether a merchant may act: from its first verified domain on. */
export const isMerchantActive: Fold<boolean, MerchantEvent> = {
  category: 'merchant',
  initial: false,
  evolve: (isActive, event) => isActive || event.type === 'MerchantActivated',
};
