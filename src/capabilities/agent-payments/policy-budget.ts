import {
  type Activations,
  type AmountReleased,
  type AutomationPolicyEvent,
  type Payees,
  type PolicyTerms,
} from '../../events/automation-policy.events';
import { addAmounts, compareAmounts, subtractAmounts } from '../../kernel/amounts';
import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { emptyMap, lookUp, type PersistentMap, withEntry, withoutEntry } from '../../kernel/persistent-map';
import { isWithin } from '../../kernel/validity-window';
import { type AgentPaymentCreated, type Threshold } from '../../events/agent-payment.events';
import {
  type ConnectionId,
  type MerchantId,
  type PaymentId,
  type PolicyId,
  type ReservationId,
} from '../../kernel/aggregates';

type Payment = AgentPaymentCreated['data'];
/** The part of a payment that a policy checks. */
export type Judged = Pick<
  Payment,
  | 'merchant_id'
  | 'connection_id'
  | 'amount'
  | 'recipient_id'
  | 'recipient_version_id'
  | 'recipient_activations'
  | 'created_at'
> &
  Readonly<{ facts: Pick<Payment['facts'], 'network' | 'asset'> }>;
type Named = Readonly<{ policyId: PolicyId; paymentId: PaymentId; reservationId: ReservationId; at: string }>;

export type PolicyBudgetCommand = Readonly<
  | { kind: 'reserve'; policyId: PolicyId; reservationId: ReservationId; payment: Payment }
  | (Named & { kind: 'release'; reason: AmountReleased['data']['reason'] })
  | (Named & { kind: 'settle' })
>;

type Reservation = Readonly<{
  reservationId: ReservationId;
  amount: string;
  intentDigest: string;
  /** The version of its event in the policy's stream, which holds the whole payment. */
  version: number;
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
  /** Everything reserved or paid: one number, however many payments it comes from. */
  spent: string;
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
        return [{ type: 'AmountReleased', data: { ...names, reason, released_at } }];
      }
      case 'settle': {
        const names = openNames(command, state);
        return names === undefined ? [] : [{ type: 'AmountSettled', data: { ...names, settled_at: command.at } }];
      }
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
        spent: '0',
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
        return { ...state, active: false };
      case 'AmountReserved': {
        const { payment_id, reservation_id: reservationId, amount, payment } = event.data;
        const reservation = { reservationId, amount, intentDigest: payment.intent_digest, version: state.revision };
        return {
          ...state,
          spent: addAmounts(state.spent, amount),
          open: withEntry(state.open, payment_id, reservation),
        };
      }
      case 'AmountReleased': {
        const { payment_id, amount } = event.data;
        return {
          ...state,
          spent: subtractAmounts(state.spent, amount),
          open: withoutEntry(state.open, payment_id),
        };
      }
      case 'AmountSettled':
        return { ...state, open: withoutEntry(state.open, event.data.payment_id) };
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

/** Everything that prevents an agent from making this payment alone, in the order the contract names them. */
export function triggeredThresholds(policy: PolicyBudget, payment: Judged): readonly Threshold[] {
  const isAbout =
    policy?.merchantId === payment.merchant_id &&
    policy.connectionId === payment.connection_id &&
    policy.network === payment.facts.network &&
    policy.asset === payment.facts.asset;
  // The limits of a policy about something else do not apply to this payment.
  if (!isAbout) return ['no_active_policy'];
  const { terms, spent, active } = policy;
  const { amount, recipient_id, created_at: at } = payment;
  const triggered: Threshold[] = [];
  if (compareAmounts(amount, terms.single_tx_limit) > 0) triggered.push('single_tx_limit');
  if (compareAmounts(addAmounts(spent, amount), terms.cumulative_limit) > 0) triggered.push('cumulative_limit');
  if (!isWithin(terms, at)) triggered.push('validity_window');
  if (!terms.allowlist.includes(recipient_id) || !isAgreedTo(policy, payment)) triggered.push('allowlist');
  if (!active) triggered.push('no_active_policy');
  return triggered;
}

/** Whether this is the version agreed to, and it was never replaced since, not even temporarily. */
function isAgreedTo({ payees, activations }: NonNullable<PolicyBudget>, payment: Judged): boolean {
  const { recipient_id: id, recipient_version_id, recipient_activations } = payment;
  if (payees !== undefined && payees[id] !== recipient_version_id) return false;
  return activations === undefined || activations[id] === recipient_activations;
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
