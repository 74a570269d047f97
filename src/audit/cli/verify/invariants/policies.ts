import { type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { addAmounts, compareAmounts, subtractAmounts } from '../../../../kernel/amounts';
import { type PolicyId } from '../../../../kernel/aggregates';
import { lateMoneyIn } from '../../../../kernel/payment-progress';
import { type DataOf, is } from '../../../../events';
import { type Breach, type Invariant } from '../invariant';

type Terms = DataOf<'AutomationPolicyCreated'>['terms'];

/** The limits are amounts of one asset, agreed to for one connection: they say nothing about any other payment. */
const isAbout = (policy: DataOf<'AutomationPolicyCreated'>, payment: DataOf<'AmountReserved'>['payment']): boolean =>
  policy.merchant_id === payment.merchant_id &&
  policy.connection_id === payment.connection_id &&
  policy.network === payment.facts.network &&
  policy.asset === payment.facts.asset;

export const policyCaps: Invariant = {
  name: 'policy-caps',
  says: 'every amount reserved under a policy was within all its limits at that time',
  categories: ['automation_policy'],
  *breaches(events): Generator<Breach> {
    let about: DataOf<'AutomationPolicyCreated'> | undefined;
    let terms: Terms | undefined;
    let agreed: Pick<DataOf<'AutomationPolicyOptedIn'>, 'payees' | 'activations'> = {};
    let active = false;
    let spent = '0';
    for (const event of events) {
      if (is(event, 'AutomationPolicyCreated')) about = event.data;
      if (is(event, 'AutomationPolicyCreated') || is(event, 'AutomationPolicyChanged')) {
        terms = event.data.terms;
        active = false;
      }
      if (is(event, 'AutomationPolicyOptedIn')) {
        active = true;
        terms = event.data.terms ?? terms;
        agreed = event.data;
      }
      if (isEnd(event)) active = false;
      // Money that moved late counts, and is the one way past the limit: nothing more is reserved then.
      if (is(event, 'AmountSpentLate')) spent = addAmounts(spent, event.data.amount);
      if (is(event, 'AmountReleased')) spent = subtractAmounts(spent, event.data.amount);
      if (!is(event, 'AmountReserved')) continue;
      const { amount, payment } = event.data;
      spent = addAmounts(spent, amount);
      if (terms === undefined || !active) yield { event, what: 'nobody had opted in' };
      if (about === undefined || terms === undefined) continue;
      if (!isAbout(about, payment))
        yield { event, what: `the policy is not about payments like ${payment.payment_id}` };
      if (compareAmounts(spent, terms.cumulative_limit) > 0) {
        yield { event, what: `${spent} is more than the cumulative limit of ${terms.cumulative_limit}` };
      }
      if (compareAmounts(amount, terms.single_tx_limit) > 0) {
        yield { event, what: `${amount} is more than the limit of ${terms.single_tx_limit} for one payment` };
      }
      const { created_at, recipient_id, recipient_version_id, recipient_activations: activations } = payment;
      if (created_at < terms.valid_from || created_at >= terms.valid_until) {
        yield { event, what: `the policy was not valid at ${created_at}` };
      }
      if (!terms.allowlist.includes(recipient_id)) yield { event, what: `${recipient_id} is not on the allowlist` };
      if (agreed.payees !== undefined && agreed.payees[recipient_id] !== recipient_version_id) {
        yield { event, what: `nobody had agreed to ${recipient_version_id} of ${recipient_id}` };
      }
      if (
        activations !== undefined &&
        agreed.activations !== undefined &&
        agreed.activations[recipient_id] !== activations
      ) {
        yield { event, what: `${recipient_id} had changed since the person agreed to it` };
      }
    }
  },
};

const isEnd = (event: RecordedEvent): boolean =>
  is(event, 'AutomationPolicyOptedOut') ||
  is(event, 'AutomationPolicyRevoked') ||
  is(event, 'AutomationPolicyReplaced') ||
  is(event, 'AutomationPolicyDeclined');

/** Whether a policy counted just before this position of the log. */
function countsBefore(policy: readonly RecordedEvent[], position: bigint): boolean {
  let counts = false;
  for (const event of policy) {
    if (event.position >= position) break;
    if (is(event, 'AutomationPolicyOptedIn')) counts = true;
    if (isEnd(event) || is(event, 'AutomationPolicyChanged')) counts = false;
  }
  return counts;
}

export const onePolicy: Invariant = {
  name: 'one-policy',
  says: 'at no moment did two policies count for the same connection, network and asset',
  categories: ['policy_slot'],
  async *breaches(events, log): AsyncGenerator<Breach> {
    let holder: PolicyId | undefined;
    for (const event of events) {
      if (!is(event, 'PolicySlotTaken')) continue;
      const { policy_id, turn } = event.data;
      const policy = await log.stream('automation_policy', policy_id);
      const begun = policy.find((one) => is(one, 'AutomationPolicyOptedIn') && one.data.turn === turn);
      if (holder !== undefined && holder !== policy_id && begun !== undefined) {
        const before = await log.stream('automation_policy', holder);
        if (countsBefore(before, begun.position)) yield { event: begun, what: `${holder} counted as well` };
      }
      holder = policy_id;
    }
  },
};

const isUnpaidEnd = (event: RecordedEvent): boolean =>
  is(event, 'AgentPaymentFailed') ||
  is(event, 'AgentPaymentRejected') ||
  is(event, 'AgentPaymentExpired') ||
  is(event, 'AgentPaymentWithdrawn');

export const reservations: Invariant = {
  name: 'reservations',
  says: 'every reservation is closed at most once, for its own amount, with the outcome of its payment',
  categories: ['automation_policy'],
  async *breaches(events, log): AsyncGenerator<Breach> {
    const open = new Map<string, Reserved>();
    const broadcasted = new Set<string>();
    const late = new Set<string>();
    for (const event of events) {
      if (is(event, 'AmountReserved')) open.set(event.data.reservation_id, event.data);
      if (is(event, 'AmountBroadcasted')) {
        const { reservation_id, amount, payment_id } = event.data;
        if (open.get(reservation_id)?.amount !== amount || broadcasted.has(reservation_id))
          yield { event, what: `${amount} of ${reservation_id} was not reserved, or was broadcasted already` };
        broadcasted.add(reservation_id);
        const payment = await log.stream('agent_payment', payment_id);
        if (!payment.some((one) => is(one, 'AgentPaymentBroadcasted')))
          yield { event, what: `${payment_id} was not broadcasted` };
      }
      if (is(event, 'AmountSpentLate')) {
        const { reservation_id, amount, payment_id } = event.data;
        const reserved = reservedIn(events).get(reservation_id);
        if (reserved?.amount !== amount || reserved.payment_id !== payment_id || open.has(reservation_id))
          yield { event, what: `${amount} of ${reservation_id} was not released before` };
        if (late.has(payment_id)) yield { event, what: `${payment_id} was counted twice` };
        late.add(payment_id);
        const payment = await log.stream('agent_payment', payment_id);
        if (!payment.some((one) => is(one, 'AgentPaymentLateReport') && lateMoneyIn(one.data) !== null))
          yield { event, what: `nobody reported a transaction of ${payment_id} after its end` };
      }
      if (!is(event, 'AmountReleased') && !is(event, 'AmountSettled')) continue;
      const { reservation_id, amount, payment_id } = event.data;
      const reserved = open.get(reservation_id);
      if (reserved?.amount !== amount) {
        yield { event, what: `${amount} of ${reservation_id} was no longer reserved` };
      } else if (reserved.payment.payment_id !== payment_id) {
        // The outcome of another payment, which may not even exist, would say nothing about this amount.
        yield { event, what: `${reservation_id} was not reserved for ${payment_id}` };
      }
      open.delete(reservation_id);
      const payment = await log.stream('agent_payment', payment_id);
      const created = payment.find((one) => is(one, 'AgentPaymentCreated'));
      const isItsOwn = created?.data.reservation_id === reservation_id;
      const isPaid = payment.some((one) => is(one, 'AgentPaymentConfirmed'));
      if (is(event, 'AmountSettled') && !(isItsOwn && isPaid)) yield { event, what: `${payment_id} was not paid` };
      const hadEnded = payment.some((one) => isUnpaidEnd(one) && one.position < event.position);
      if (is(event, 'AmountReleased') && isItsOwn && !hadEnded) {
        const state = isPaid ? 'was paid' : 'might still be paid';
        yield { event, what: `${payment_id} ${state}, but its amount was released` };
      }
    }
  },
};

type Reserved = DataOf<'AmountReserved'>;

/** A policy may have a hundred thousand reservations, and each payment looks one up: they are indexed once. */
const inOrder = new WeakMap<readonly RecordedEvent[], ReadonlyMap<string, Reserved>>();

function reservedIn(policy: readonly RecordedEvent[]): ReadonlyMap<string, Reserved> {
  const known = inOrder.get(policy);
  if (known !== undefined) return known;
  const reserved = policy.filter((one) => is(one, 'AmountReserved'));
  const byId = new Map(reserved.map(({ data }) => [data.reservation_id as string, data]));
  inOrder.set(policy, byId);
  return byId;
}

/** What a policy permits is this payment: under its reservation no other can be made, and nobody else be paid. */
const PERMITTED = ['payment_id', 'connection_id', 'recipient_id', 'recipient_version_id', 'amount'] as const;

export const policyBehindPayment: Invariant = {
  name: 'policy-behind-payment',
  says: 'every payment an agent made alone was reserved under its policy, for exactly its amount and recipient',
  categories: ['agent_payment'],
  async *breaches(events, log): AsyncGenerator<Breach> {
    for (const event of events) {
      if (!is(event, 'AgentPaymentCreated') || event.data.initiator !== 'agent') continue;
      const { policy_id, reservation_id, amount } = event.data;
      const policy = policy_id === null ? [] : await log.stream('automation_policy', policy_id);
      const reserved = reservedIn(policy).get(reservation_id ?? '');
      if (reserved?.amount !== amount) {
        yield { event, what: `${amount} was not reserved for it under ${policy_id}` };
        continue;
      }
      const others = PERMITTED.filter((name) => reserved.payment[name] !== event.data[name]);
      if (others.length > 0) yield { event, what: `${reservation_id} was for another ${others.join(', ')}` };
    }
  },
};
