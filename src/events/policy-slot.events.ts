// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type ConnectionId, type MerchantId, type PolicyId, type PolicySlotId } from '../kernel/aggregates';
import { type AutomationPolicyCreated, type AutomationPolicyOptedIn } from './automation-policy.events';

/**
 * From now on this policy is the one that counts for its connection, network and asset. Holds what was agreed to, so that
 * whoever comes next can finish it after a crash; the policies' own streams follow.
 */
export type PolicySlotTaken = Readonly<{
  type: 'PolicySlotTaken';
  data: Readonly<{
    slot_id: PolicySlotId;
    merchant_id: MerchantId;
    connection_id: ConnectionId;
    network: string;
    asset: string;
    policy_id: PolicyId;
    /** Counts the times the slot was taken. */
    turn: number;
    /** The policy that ends with it. */
    replaces: PolicyId | null;
    /** For a policy that its wallet makes, and that exists only from now on. */
    created: AutomationPolicyCreated['data'] | null;
    agreed: AutomationPolicyOptedIn['data'];
    /** The policy's version that was agreed to. */
    policy_version: number;
    taken_at: string;
  }>;
}>;

export type PolicySlotEvent = PolicySlotTaken;
