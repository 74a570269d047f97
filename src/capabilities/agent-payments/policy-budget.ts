import {
  type Activations,
  type AmountReleased,
  type AutomationPolicyEvent,
  type Payees,
  type PolicyTerms,
} from '../../events/automation-policy.events';
import { addAmounts, subtractAmounts } from '../../kernel/amounts';
import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { triggeredThresholds } from './policy-thresholds';
import { type PolicyTotals } from '../../kernel/policy-totals';
import { emptyMap, lookUp, type PersistentMap, withEntry, withoutEntry } from '../../kernel/persistent-map';
import { type AgentPaymentCreated } from '../../events/agent-payment.events';
import {
  type ConnectionId,
  type MerchantId,
  type PaymentId,
  type PolicyId,
  type ReservationId,
} from '../../kernel/aggregates';

type Payment = AgentPaymentCreated['data'];
type Named = Readonly<{ policyId: PolicyId; paymentId: PaymentId; reservationId: ReservationId; at: string }>;

export type PolicyBudgetCommand = Readonly<
  | { kind: 'reserve'; policyId: PolicyId; reservationId: ReservationId; payment: Payment }
  | (Named & { kind: 'release'; reason: AmountReleased['data']['reason'] })
  | (Named & { kind: 'settle' })
  | (Named & { kind: 'broadcast' })
  /** Money that moved after the amount was released. */
  | (Named & { kind: 'spend-late'; amount: string })
>;

type Reservation = Readonly<{
  reservationId: ReservationId;
  amount: string;
  intentDigest: string;
  /** The version of its event in the policy's stream, which holds the whole payment. */
  version: number;
  /** Counts as spent; it is given back if the payment fails after all. */
  broadcasted: boolean;
}>;

export type PolicyBudget = Readonly<{
  merchantId: MerchantId;
  connectionId: ConnectionId;
  network: string;
  asset: string;
  terms: PolicyTerms;
  active: boolean;
  /** The agreed version by recipient; undefined if any version is accepted. */
  payees: Payees | undefined;
  /** Undefined if the version is accepted whenever it is active. */
  activations: Activations | undefined;
  /** Everything that may still be paid, and everything broadcasted or paid: together they count against the limit. */
  reserved: string;
  spent: string;
  /** Payments whose money moved after their amount was released: each counts once. */
  late: PersistentMap<true>;
  /** By payment, only until it is known whether the amount will be paid. */
  open: PersistentMap<Reservation>;
  /** The number of events folded, so the version of the stream: identifies the state in which something was decided. */
  revision: number;
}> | null;

/**
 * What may still be spent under a policy. Check and reservation are one append to the policy's own stream, so no two
 * payments can take the same amount, however many processes handle them.
 */
export const policyBudget: Decider<PolicyBudget, PolicyBudgetCommand, AutomationPolicyEvent> = {
  category: 'automation_policy',
  initial: null,

  decide(command, state) {
    switch (command.kind) {
      case 'reserve':
        return reserve(command, state);
      case 'release': {
        const names = openNames(command, state);
        if (names === undefined) return [];
        const { reason, at: released_at } = command;
        return [{ type: 'AmountReleased', data: { ...names, ...sinceBroadcast(command, state), reason, released_at } }];
      }
      case 'settle': {
        const names = openNames(command, state);
        if (names === undefined) return [];
        return [
          { type: 'AmountSettled', data: { ...names, ...sinceBroadcast(command, state), settled_at: command.at } },
        ];
      }
      case 'broadcast': {
        const names = openNames(command, state);
        if (names === undefined || wasBroadcasted(command, state)) return [];
        return [{ type: 'AmountBroadcasted', data: { ...names, broadcasted_at: command.at } }];
      }
      case 'spend-late':
        return spendLate(command, state);
      default:
        return assertNever(command);
    }
  },

  evolve(before, event) {
    if (event.type === 'AutomationPolicyCreated') {
      const { merchant_id: merchantId, connection_id: connectionId, network, asset, terms } = event.data;
      return {
        merchantId,
        connectionId,
        network,
        asset,
        terms,
        active: false,
        payees: undefined,
        activations: undefined,
        reserved: '0',
        spent: '0',
        late: emptyMap,
        open: emptyMap,
        revision: 1,
      };
    }
    if (before === null) throw new Error(`${event.type} before the policy was created`);
    const state = { ...before, revision: before.revision + 1 };
    switch (event.type) {
      case 'AutomationPolicyChanged':
        return { ...state, terms: event.data.terms, active: false };
      case 'AutomationPolicyOptedIn':
        return {
          ...state,
          active: true,
          terms: event.data.terms ?? state.terms,
          payees: event.data.payees,
          activations: event.data.activations,
        };
      case 'AutomationPolicyOptedOut':
      case 'AutomationPolicyRevoked':
      case 'AutomationPolicyReplaced':
      case 'AutomationPolicyDeclined':
        return { ...state, active: false };
      case 'AutomationPolicyOptInLapsed':
        return state;
      case 'AmountReserved': {
        const { payment_id, reservation_id: reservationId, amount, payment } = event.data;
        const reservation = { reservationId, amount, intentDigest: payment.intent_digest, version: state.revision };
        const held = { ...reservation, broadcasted: false };
        return {
          ...state,
          reserved: addAmounts(state.reserved, amount),
          open: withEntry(state.open, payment_id, held),
        };
      }
      case 'AmountReleased': {
        const { payment_id, amount, was_broadcasted } = event.data;
        return { ...minus(state, amount, was_broadcasted), open: withoutEntry(state.open, payment_id) };
      }
      case 'AmountSettled': {
        const { payment_id, amount, was_broadcasted } = event.data;
        const paid = was_broadcasted ? state : asSpent(state, amount);
        return { ...paid, open: withoutEntry(state.open, payment_id) };
      }
      case 'AmountBroadcasted': {
        const { payment_id, amount } = event.data;
        const held = lookUp(state.open, payment_id);
        if (held === undefined) throw new Error(`${payment_id} was broadcasted without a reservation`);
        return { ...asSpent(state, amount), open: withEntry(state.open, payment_id, { ...held, broadcasted: true }) };
      }
      case 'AmountSpentLate': {
        const { payment_id, amount } = event.data;
        return { ...state, spent: addAmounts(state.spent, amount), late: withEntry(state.late, payment_id, true) };
      }
      default:
        return assertNever(event);
    }
  },
};

function reserve(
  { policyId, reservationId, payment }: Extract<PolicyBudgetCommand, { kind: 'reserve' }>,
  state: PolicyBudget,
): readonly AutomationPolicyEvent[] {
  const held = state && lookUp(state.open, payment.payment_id);
  if (held) {
    if (held.intentDigest !== payment.intent_digest) throw refuse('IDEMPOTENCY_KEY_REUSED');
    return [];
  }
  const triggered = triggeredThresholds(state, payment);
  if (state === null || triggered.length > 0) {
    throw refuse('HC_NC_5_HITL_REQUIRED', {
      details: { triggered_thresholds: triggered, policy_id: policyId, policy_revision: state?.revision },
    });
  }
  const data = {
    policy_id: policyId,
    merchant_id: state.merchantId,
    payment_id: payment.payment_id,
    reservation_id: reservationId,
    amount: payment.amount,
    payment: { ...payment, policy_id: policyId, reservation_id: reservationId },
    reserved_at: payment.created_at,
  };
  return [{ type: 'AmountReserved', data }];
}

const asSpent = <T extends PolicyTotals>(totals: T, amount: string): T => ({
  ...totals,
  reserved: subtractAmounts(totals.reserved, amount),
  spent: addAmounts(totals.spent, amount),
});

const minus = <T extends PolicyTotals>(totals: T, amount: string, fromSpent = false): T =>
  fromSpent
    ? { ...totals, spent: subtractAmounts(totals.spent, amount) }
    : { ...totals, reserved: subtractAmounts(totals.reserved, amount) };

const wasBroadcasted = ({ paymentId }: Named, state: PolicyBudget): boolean =>
  state !== null && lookUp(state.open, paymentId)?.broadcasted === true;

const sinceBroadcast = (command: Named, state: PolicyBudget) =>
  wasBroadcasted(command, state) ? ({ was_broadcasted: true } as const) : {};

/** Counts once, whatever has become of the policy, and past its limit if need be: the money has moved. */
function spendLate(
  { policyId, paymentId, reservationId, amount, at }: Extract<PolicyBudgetCommand, { kind: 'spend-late' }>,
  state: PolicyBudget,
): readonly AutomationPolicyEvent[] {
  if (state === null || lookUp(state.late, paymentId) || lookUp(state.open, paymentId)) return [];
  const { merchantId: merchant_id } = state;
  const names = { policy_id: policyId, merchant_id, payment_id: paymentId, reservation_id: reservationId };
  return [{ type: 'AmountSpentLate', data: { ...names, amount, spent_at: at } }];
}

/** The data of a closing event, if the reservation is still open: closing one twice must not release it twice. */
function openNames({ policyId, paymentId, reservationId }: Named, state: PolicyBudget) {
  const held = state && lookUp(state.open, paymentId);
  if (!state || held?.reservationId !== reservationId) return undefined;
  return {
    policy_id: policyId,
    merchant_id: state.merchantId,
    payment_id: paymentId,
    reservation_id: reservationId,
    amount: held.amount,
  };
}
