import { notFollowed } from '../../kernel/assert-never';
import { type DataOf } from '../../events';
import { transactionIn } from '../../kernel/payment-progress';
import {
  isSeenToPay,
  NOTHING_OBSERVED,
  type Observed,
  withObservation,
  withTransaction,
} from '../../kernel/settlement';
import { type Fold } from '../../kernel/decider';
import { type AgentPaymentEvent } from '../../events/agent-payment.events';
import { type PaymentRequestEvent } from '../../events/payment-request.events';
import { type Pinned } from './compare';
import { type Category, type MerchantId } from '../../kernel/aggregates';

/** The part of a payment that is compared with the network, and what was found of it. */
export type KnownPayment = Pinned &
  Observed &
  Readonly<{
    /** What its merchant calls it. */
    name: string;
    merchantId: MerchantId;
    /** The transactions that its wallet said it signed; none if it did not say. */
    signedHashes: readonly string[];
  }>;

/** Null if there is no payment. */
export type WatchedPayment = KnownPayment | null;

type Event = PaymentRequestEvent | AgentPaymentEvent;

/** A small cache is enough: a lookup is short, and few payments are looked up twice. */
const MAX_CACHED = 500;

function evolve(payment: WatchedPayment, event: Event): WatchedPayment {
  switch (event.type) {
    case 'PaymentRequestCreated':
    case 'AgentPaymentCreated':
      return {
        facts: event.data.facts,
        amount: event.data.amount,
        createdAt: event.data.created_at,
        merchantId: event.data.merchant_id,
        name: 'request_id' in event.data ? event.data.request_id : event.data.payment_id,
        ledger: null,
        transactionHash: null,
        signedHashes: [],
        ...NOTHING_OBSERVED,
      };
    case 'PaymentRequestSigned':
    case 'AgentPaymentSigned':
      return payment && signed(payment, event.data.transaction_hash ?? null);
    case 'PaymentRequestLateReport':
    case 'AgentPaymentLateReport':
      return payment && afterLateReport(payment, event.data);
    case 'PaymentRequestBroadcasted':
    case 'AgentPaymentBroadcasted':
      return payment && withTransaction(payment, event.data.transaction_hash);
    case 'PaymentRequestConfirmed':
    case 'AgentPaymentConfirmed':
      return payment && { ...withTransaction(payment, event.data.transaction_hash), ledger: event.data.ledger };
    case 'PaymentRequestSettlementObserved':
    case 'AgentPaymentSettlementObserved':
      return payment && withObservation(payment, event.data);
    case 'PaymentRequestFailed':
    case 'PaymentRequestRejected':
    case 'PaymentRequestExpired':
    case 'PaymentRequestWithdrawn':
    case 'PaymentRequestKeyAssigned':
    case 'PaymentRequestKeyTaken':
    case 'PaymentRequestSettlementCheckRequested':
    case 'AgentPaymentRefused':
    case 'AgentPaymentForgone':
    case 'AgentPaymentFailed':
    case 'AgentPaymentRejected':
    case 'AgentPaymentExpired':
    case 'AgentPaymentWithdrawn':
    case 'AgentPaymentSettlementCheckRequested':
      return payment;
    default:
      return notFollowed(event, payment);
  }
}

const signed = (payment: KnownPayment, hash: string | null): KnownPayment => ({
  ...withTransaction(payment, hash),
  signedHashes: hash === null ? payment.signedHashes : [...payment.signedHashes, hash],
});

/** The ledger that was named for another transaction says nothing about this one. */
function afterLateReport(before: KnownPayment, report: LateReport): KnownPayment {
  const transactionHash = transactionIn(report);
  if (transactionHash === null) return before;
  const known = transactionHash === before.transactionHash ? before.ledger : null;
  const payment = report.reported_status === 'signed' ? signed(before, transactionHash) : before;
  const { signedHashes } = payment;
  if (isSeenToPay(before) && transactionHash !== before.transactionHash) return { ...before, signedHashes };
  return { ...withTransaction(payment, transactionHash), ledger: report.ledger ?? known };
}

type LateReport = DataOf<'PaymentRequestLateReport' | 'AgentPaymentLateReport'>;

const watched = (category: Category): Fold<WatchedPayment, Event> => ({
  category,
  initial: null,
  kept: MAX_CACHED,
  evolve,
});

/** By stream category. */
export const watchedPayments = {
  payment_request: watched('payment_request'),
  agent_payment: watched('agent_payment'),
} as const satisfies Record<string, Fold<WatchedPayment, Event>>;

export type WatchedCategory = keyof typeof watchedPayments;

export const isWatchedCategory = (category: string): category is WatchedCategory =>
  Object.hasOwn(watchedPayments, category);
