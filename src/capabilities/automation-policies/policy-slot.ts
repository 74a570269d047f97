import { type PolicyId, type PolicySlotId } from '../../kernel/aggregates';
import { type Decider } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { type PolicySlotEvent, type PolicySlotTaken } from '../../events/policy-slot.events';

type Taken = PolicySlotTaken['data'];

/** What the caller has found out about the policy that holds the slot; null if none does. */
export type HolderNow = Readonly<{
  policyId: PolicyId;
  /** It counts: it is opted in to, and its validity window is not over. */
  counts: boolean;
  /** It is opted in to, but its window is over: it ends without being named. */
  isOver: boolean;
}> | null;

export type TakeSlot = Readonly<{
  slotId: PolicySlotId;
  /** The turn that the caller has seen; if there was another since, it must look again. */
  seen: number;
  holder: HolderNow;
  /** The policy that the caller wants to end for this one. */
  replaces: PolicyId | undefined;
  taking: Omit<Taken, 'slot_id' | 'turn' | 'replaces'>;
}>;

export type PolicySlotState = Taken | null;

/**
 * Which policy counts for a connection, network and asset. This append is the decision; the streams of the policies
 * follow, the replaced one first, so that at no moment two of them count (docs/adr/0031).
 */
export const policySlot: Decider<PolicySlotState, TakeSlot, PolicySlotEvent> = {
  category: 'policy_slot',
  initial: null,

  decide({ slotId, seen, holder, replaces, taking }, state) {
    if ((state?.turn ?? 0) !== seen) return [];
    const other = holder !== null && holder.policyId !== taking.policy_id ? holder : null;
    if (other?.counts && other.policyId !== replaces) {
      throw refuse('policy_already_active', { details: { policy_id: other.policyId } });
    }
    const ends = other !== null && (other.counts || other.isOver) ? other.policyId : null;
    return [{ type: 'PolicySlotTaken', data: { slot_id: slotId, ...taking, turn: seen + 1, replaces: ends } }];
  },

  evolve(_state, { data }) {
    return data;
  },
};
