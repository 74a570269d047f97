import { type DataOf, is } from '../../../../events';
import { idFor, type PaymentId } from '../../../../kernel/aggregates';
import { transactionIn } from '../../../../kernel/payment-progress';
import { type Position, type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { parseStreamName } from '../../../../platform/event-store/stream-name';
import { type Breach, type Invariant, type Log } from '../invariant';

const observedIn = (event: RecordedEvent) =>
  is(event, 'PaymentRequestSettlementObserved') || is(event, 'AgentPaymentSettlementObserved') ? event.data : undefined;

/** The transaction that a wallet's report names, if it names one. */
function reportedIn(event: RecordedEvent): string | null {
  if (is(event, 'PaymentRequestLateReport') || is(event, 'AgentPaymentLateReport')) return transactionIn(event.data);
  const names =
    is(event, 'PaymentRequestSigned') ||
    is(event, 'AgentPaymentSigned') ||
    is(event, 'PaymentRequestBroadcasted') ||
    is(event, 'AgentPaymentBroadcasted');
  return names ? (event.data.transaction_hash ?? null) : null;
}

export const truthfulSettlement: Invariant = {
  name: 'truthful-settlement',
  says:
    'every finding is about the transaction that was reported, its verdict agrees with its differences, and what was ' +
    'contested stays so',
  categories: ['payment_request', 'agent_payment'],
  *breaches(events): Generator<Breach> {
    let reported: string | undefined;
    let isContested = false;
    let isSeen = false;
    for (const event of events) {
      // What was seen to pay stays its transaction: a late report of another one is beside it.
      if (!isSeen || !event.type.endsWith('LateReport')) reported = reportedIn(event) ?? reported;
      const observed = observedIn(event);
      if (observed === undefined) continue;
      const { transaction_hash, settlement, contested = false } = observed;
      if (transaction_hash !== reported) yield { event, what: `no wallet had reported ${transaction_hash}` };
      const { verdict, differences, ledger } = settlement;
      if ((verdict === 'differs') !== differences.length > 0) {
        yield { event, what: `${verdict} contradicts ${differences.length} difference(s)` };
      }
      if ((verdict === 'matches' || verdict === 'differs') !== (ledger !== null)) {
        yield { event, what: `${verdict} contradicts ledger ${ledger}` };
      }
      if (isContested && !contested) yield { event, what: 'it was contested before' };
      isContested ||= contested;
      isSeen = verdict === 'matches';
    }
  },
};

/** Findings of older logs name no transfer. */
export const settledByOwnTransfer: Invariant = {
  name: 'settled-by-own-transfer',
  says: 'a payment that matches had taken the transfer that settles it',
  categories: ['payment_request', 'agent_payment'],
  async *breaches(events, log): AsyncGenerator<Breach> {
    const { category, id } = parseStreamName(events[0]?.stream ?? '');
    const created = events.find((event) => is(event, 'PaymentRequestCreated') || is(event, 'AgentPaymentCreated'));
    const { facts } = (created?.data ?? {}) as Partial<DataOf<'PaymentRequestCreated'>>;
    for (const event of events) {
      const place = settlingTransfer(event);
      if (place === undefined) continue;
      const claims = await log.stream('settlement_claim', idFor.settlementClaim(facts?.network ?? '', place.hash));
      const isTaken = claims.some(
        (claim) =>
          claim.position < event.position &&
          is(claim, 'SettlementTransferTaken') &&
          claim.data.payment.kind === category &&
          claim.data.payment.id === id &&
          claim.data.operation === place.operation &&
          claim.data.transfer === place.transfer,
      );
      if (!isTaken)
        yield { event, what: `it had not taken transfer ${place.transfer} of operation ${place.operation}` };
    }
  },
};

type Place = Readonly<{ hash: string; operation: number; transfer: number }>;

/** The transfer that settles a payment according to a finding; undefined if none does. */
function settlingTransfer(event: RecordedEvent): Place | undefined {
  const { verdict, ledger_hash: hash, operation, transfer } = observedIn(event)?.settlement ?? {};
  const isSettled =
    verdict === 'matches' && hash !== undefined && typeof operation === 'number' && typeof transfer === 'number';
  return isSettled ? { hash, operation, transfer } : undefined;
}

/** From one event of the log to another, or to its end. */
type Span = Readonly<{ payment: string; from: RecordedEvent; to: Position | undefined }>;

/**
 * What a killed process left undone is done by the next one: so a payment may have taken a transfer that it was not yet
 * told of, but never are two told at the same time that one transfer settles them.
 */
export const settledOnce: Invariant = {
  name: 'settled-once',
  says: 'a transfer settles one payment at a time, over both surfaces and all merchants',
  categories: ['settlement_claim'],
  async *breaches(events, log): AsyncGenerator<Breach> {
    const takers = new Map<string, Set<string>>();
    for (const event of events) {
      if (!is(event, 'SettlementTransferTaken')) continue;
      const { operation, transfer, payment, to, asset, issuer } = event.data;
      const key = JSON.stringify([event.data.ledger_hash, operation, transfer, to, asset, issuer]);
      takers.set(key, (takers.get(key) ?? new Set()).add(`${payment.kind}-${payment.id}`));
    }
    for (const [key, payments] of takers) {
      const [hash, operation, transfer] = JSON.parse(key) as [string, number, number];
      const spans: Span[] = [];
      for (const payment of payments) spans.push(...(await spansOf(payment, { hash, operation, transfer }, log)));
      spans.sort((one, other) => (one.from.position < other.from.position ? -1 : 1));
      for (const [index, { payment, from }] of spans.entries()) {
        const other = spans.slice(0, index).find((span) => span.to === undefined || span.to > from.position);
        if (other !== undefined)
          yield { event: from, what: `the transfer settles ${other.payment}, too, not only ${payment}` };
      }
    }
  },
};

/** While the payment says that this transfer settles it: until it is told otherwise, or names another transaction. */
async function spansOf(payment: string, place: Place, log: Log): Promise<readonly Span[]> {
  const { category, id } = parseStreamName(payment);
  const own =
    category === 'payment_request'
      ? await log.stream('payment_request', id)
      : await log.stream('agent_payment', id as PaymentId);
  const spans: Span[] = [];
  let from: RecordedEvent | undefined;
  const end = (to: Position | undefined): void => {
    if (from !== undefined) spans.push({ payment, from, to });
    from = undefined;
  };
  let reported: string | null = null;
  for (const event of own) {
    const named: string | null = reportedIn(event) ?? reported;
    if (observedIn(event) === undefined && named === reported) continue;
    reported = named;
    const settled = settlingTransfer(event);
    const isSame =
      settled?.hash === place.hash && settled.operation === place.operation && settled.transfer === place.transfer;
    // The same again, or contested since.
    if (isSame && from !== undefined) continue;
    end(event.position);
    if (isSame) from = event;
  }
  end(undefined);
  return spans;
}
