import { type Invariant } from '../invariant';
import { approvedConnection, liveConnection } from './connections';
import { domainHolders } from './domains';
import { lifecycles } from './lifecycles';
import { ownStreams } from './own-streams';
import { activeVersion, exactAmounts, onePaymentPerKey, pinnedFacts } from './payments';
import { onePolicy, policyBehindPayment, policyCaps, reservations } from './policies';
import { evidence } from './recipients';
import { settledByOwnTransfer, settledOnce, truthfulSettlement } from './settlements';
import { oneTime, wholeStreams } from './streams';
import { expiry, transitions } from './transitions';
import { traceableDelivery } from './webhooks';

/** All invariants that are checked. */
export const invariants: readonly Invariant[] = [
  wholeStreams,
  ownStreams,
  lifecycles,
  oneTime,
  evidence,
  domainHolders,
  approvedConnection,
  liveConnection,
  activeVersion,
  pinnedFacts,
  exactAmounts,
  onePaymentPerKey,
  transitions,
  expiry,
  truthfulSettlement,
  settledByOwnTransfer,
  settledOnce,
  policyCaps,
  reservations,
  onePolicy,
  policyBehindPayment,
  traceableDelivery,
];
