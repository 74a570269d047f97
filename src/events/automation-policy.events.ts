// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type MaybeUnderKey } from '../kernel/made-under-key';
import { type AgentPaymentCreated } from './agent-payment.events';
import {
  type AgentId,
  type ConnectionId,
  type WalletDeviceId,
  type MerchantId,
  type PaymentId,
  type PolicyId,
  type ReservationId,
} from '../kernel/aggregates';

/** The four thresholds; the validity window has two ends. */
export type PolicyTerms = Readonly<{
  single_tx_limit: string;
  cumulative_limit: string;
  valid_from: string;
  valid_until: string;
  allowlist: readonly string[];
}>;

export type AutomationPolicyCreated = Readonly<{
  type: 'AutomationPolicyCreated';
  data: MaybeUnderKey &
    Readonly<{
      policy_id: PolicyId;
      merchant_id: MerchantId;
      connection_id: ConnectionId;
      device_id: WalletDeviceId;
      agent_id: AgentId;
      network: string;
      asset: string;
      terms: PolicyTerms;
      created_at: string;
    }>;
}>;

/** An earlier opt-in was to other terms: the policy waits for a new one. */
export type AutomationPolicyChanged = Readonly<{
  type: 'AutomationPolicyChanged';
  data: Readonly<{ policy_id: PolicyId; merchant_id: MerchantId; terms: PolicyTerms; changed_at: string }>;
}>;

/** Each recipient's active version when the person agreed; null if there was none. */
export type Payees = Readonly<Record<string, string | null>>;
/**
 * How many times each recipient had activated a version when the person agreed: a version that was replaced and came
 * back is the same version, but not the same consent.
 */
export type Activations = Readonly<Record<string, number>>;

/**
 * `terms` is present if the person tightened the terms: those apply from then on. Without `payees` (older logs) any
 * version of the recipients was agreed to; without `activations`, that version whenever it is active.
 */
export type AutomationPolicyOptedIn = Readonly<{
  type: 'AutomationPolicyOptedIn';
  data: Readonly<{
    policy_id: PolicyId;
    merchant_id: MerchantId;
    device_id: WalletDeviceId;
    opted_in_at: string;
    terms?: PolicyTerms;
    payees?: Payees;
    activations?: Activations;
    /** The turn of the policy’s slot in which this was agreed to (see policy-slot.events.ts). */
    turn?: number;
    /** The policy that this one takes the place of. */
    replaces?: PolicyId;
  }>;
}>;

export type AutomationPolicyOptedOut = Readonly<{
  type: 'AutomationPolicyOptedOut';
  data: Readonly<{ policy_id: PolicyId; merchant_id: MerchantId; device_id: WalletDeviceId; opted_out_at: string }>;
}>;

export type AutomationPolicyRevoked = Readonly<{
  type: 'AutomationPolicyRevoked';
  data: Readonly<{ policy_id: PolicyId; merchant_id: MerchantId; revoked_at: string }>;
}>;

/** Another policy for the same connection, network and asset takes its place: this one counts nothing any more. */
export type AutomationPolicyReplaced = Readonly<{
  type: 'AutomationPolicyReplaced';
  data: Readonly<{ policy_id: PolicyId; merchant_id: MerchantId; replaced_by: PolicyId; replaced_at: string }>;
}>;

/** The wallet’s owner does not want what was proposed. */
export type AutomationPolicyDeclined = Readonly<{
  type: 'AutomationPolicyDeclined';
  data: Readonly<{ policy_id: PolicyId; merchant_id: MerchantId; device_id: WalletDeviceId; declined_at: string }>;
}>;

/** The slot was taken for it, but it had changed by then: nobody agreed to what it is now. */
export type AutomationPolicyOptInLapsed = Readonly<{
  type: 'AutomationPolicyOptInLapsed';
  data: Readonly<{ policy_id: PolicyId; merchant_id: MerchantId; turn: number; lapsed_at: string }>;
}>;

/** Counts against the cumulative limit from now on. Holds the whole payment, so that it can be made after a crash. */
export type AmountReserved = Readonly<{
  type: 'AmountReserved';
  data: Readonly<{
    policy_id: PolicyId;
    merchant_id: MerchantId;
    payment_id: PaymentId;
    reservation_id: ReservationId;
    amount: string;
    payment: AgentPaymentCreated['data'];
    reserved_at: string;
  }>;
}>;

type Closed = Readonly<{
  policy_id: PolicyId;
  merchant_id: MerchantId;
  payment_id: PaymentId;
  reservation_id: ReservationId;
  amount: string;
}>;

/** Set where the amount counted as spent by then, and no longer as reserved. */
type WasBroadcasted = Readonly<{ was_broadcasted?: true }>;

/** Released: nothing was paid. `not_used`: another call with the same key had made the payment. */
export type AmountReleased = Readonly<{
  type: 'AmountReleased';
  data: Closed &
    WasBroadcasted &
    Readonly<{ reason: 'failed' | 'rejected' | 'expired' | 'not_used'; released_at: string }>;
}>;

/** Paid: it keeps counting against the cumulative limit. */
export type AmountSettled = Readonly<{
  type: 'AmountSettled';
  data: Closed & WasBroadcasted & Readonly<{ settled_at: string }>;
}>;

/** The transaction is on its way: the amount is spent, unless the payment fails after all. */
export type AmountBroadcasted = Readonly<{
  type: 'AmountBroadcasted';
  data: Closed & Readonly<{ broadcasted_at: string }>;
}>;

/** Released, but the money moved all the same: it counts, whether or not the policy has ended or its limit is reached. */
export type AmountSpentLate = Readonly<{ type: 'AmountSpentLate'; data: Closed & Readonly<{ spent_at: string }> }>;

export type AutomationPolicyEvent =
  | AutomationPolicyCreated
  | AutomationPolicyChanged
  | AutomationPolicyOptedIn
  | AutomationPolicyOptedOut
  | AutomationPolicyRevoked
  | AutomationPolicyReplaced
  | AutomationPolicyDeclined
  | AutomationPolicyOptInLapsed
  | AmountReserved
  | AmountReleased
  | AmountSettled
  | AmountBroadcasted
  | AmountSpentLate;
