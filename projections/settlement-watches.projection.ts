import { notFollowed } from '../src/kernel/assert-never';
import { type AgentPaymentEvent } from '../src/events/agent-payment.events';
import { type SettlementClaimEvent } from '../src/events/settlement-claim.events';
import { type PaymentRequestEvent } from '../src/events/payment-request.events';
import { lateMoneyIn } from '../src/kernel/payment-progress';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { collection, type Document, ignored, type Projection, type Step } from '../src/platform/read-model/projection';

/** A payment whose transaction is to be looked for on its network: where the witness resumes after a restart. */
export type SettlementWatch = Readonly<{
  /** The payment's stream. */
  id: string;
  /** When the search began: it ends an hour later. */
  since: string;
  /** Null once the transaction was seen in a ledger, which removes it from the index. */
  open: true | null;
}>;

export const settlementWatches = collection<SettlementWatch>('settlement_watches', {
  open: { equals: ['open'], sort: 'since' },
});

type PaymentEvent = RecordedEvent & (PaymentRequestEvent | AgentPaymentEvent | SettlementClaimEvent);

export const settlementWatchesProjection: Projection = {
  name: 'settlement-watches',
  // 2: money that moved late is looked for too. 3: what takes a transfer is told so, also after a crash.
  version: 3,
  collections: [settlementWatches],
  project: (recorded) => steps(recorded as PaymentEvent),
};

function steps(event: PaymentEvent): readonly Step[] {
  switch (event.type) {
    case 'PaymentRequestConfirmed':
    case 'AgentPaymentConfirmed':
    case 'PaymentRequestSettlementCheckRequested':
    case 'AgentPaymentSettlementCheckRequested':
      return [written({ id: event.stream, since: event.data.at, open: true })];
    case 'PaymentRequestLateReport':
    case 'AgentPaymentLateReport':
      return lateMoneyIn(event.data) === null
        ? ignored
        : [written({ id: event.stream, since: event.data.at, open: true })];
    case 'SettlementTransferTaken': {
      const { payment, at } = event.data;
      return [written({ id: `${payment.kind}-${payment.id}`, since: at, open: true })];
    }
    case 'PaymentRequestSettlementObserved':
    case 'AgentPaymentSettlementObserved':
      return event.data.settlement.ledger === null
        ? []
        : [written({ id: event.stream, since: event.data.at, open: null })];
    case 'PaymentRequestCreated':
    case 'PaymentRequestSigned':
    case 'PaymentRequestBroadcasted':
    case 'PaymentRequestFailed':
    case 'PaymentRequestRejected':
    case 'PaymentRequestExpired':
    case 'PaymentRequestWithdrawn':
    case 'PaymentRequestKeyAssigned':
    case 'PaymentRequestKeyTaken':
    case 'AgentPaymentCreated':
    case 'AgentPaymentRefused':
    case 'AgentPaymentForgone':
    case 'AgentPaymentSigned':
    case 'AgentPaymentBroadcasted':
    case 'AgentPaymentFailed':
    case 'AgentPaymentRejected':
    case 'AgentPaymentExpired':
    case 'AgentPaymentWithdrawn':
      return ignored;
    default:
      return notFollowed(event, ignored);
  }
}

const written = (document: SettlementWatch): Step => ({
  collection: settlementWatches,
  id: document.id,
  next: (current: Document | undefined) => {
    const { since } = (current as SettlementWatch | undefined) ?? document;
    return { document: document.open ? document : { ...document, since } };
  },
});
