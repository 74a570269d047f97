import { notFollowed } from '../src/kernel/assert-never';
import { type AgentPaymentEvent } from '../src/events/agent-payment.events';
import { type PaymentRequestEvent } from '../src/events/payment-request.events';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { collection, type Document, ignored, type Projection, type Step } from '../src/platform/read-model/projection';

/** The first report of a payment that named a transaction: each is a claim on what that transaction paid. */
export type SettlementReport = Readonly<{
  id: string;
  /** As the wallet wrote it. */
  hash: string;
  /** The payment's stream. */
  stream: string;
  /** Its place in the log: compares as text. */
  order: string;
  occurred_at: string;
}>;

export const settlementReports = collection<SettlementReport>('settlement_reports', {
  by_hash: { equals: ['hash'], sort: 'order' },
});

/** As many digits as the greatest position of any store has. */
const POSITION_DIGITS = 20;

type PaymentEvent = RecordedEvent & (PaymentRequestEvent | AgentPaymentEvent);

export const settlementReportsProjection: Projection = {
  name: 'settlement-reports',
  version: 1,
  collections: [settlementReports],
  project: (recorded) => steps(recorded as PaymentEvent),
};

function steps(event: PaymentEvent): readonly Step[] {
  switch (event.type) {
    case 'PaymentRequestSigned':
    case 'AgentPaymentSigned':
    case 'PaymentRequestBroadcasted':
    case 'AgentPaymentBroadcasted':
    case 'PaymentRequestConfirmed':
    case 'AgentPaymentConfirmed':
    case 'PaymentRequestLateReport':
    case 'AgentPaymentLateReport':
      return reported(event);
    case 'PaymentRequestCreated':
    case 'PaymentRequestFailed':
    case 'PaymentRequestRejected':
    case 'PaymentRequestExpired':
    case 'PaymentRequestWithdrawn':
    case 'PaymentRequestKeyAssigned':
    case 'PaymentRequestKeyTaken':
    case 'PaymentRequestSettlementObserved':
    case 'PaymentRequestSettlementCheckRequested':
    case 'AgentPaymentCreated':
    case 'AgentPaymentRefused':
    case 'AgentPaymentForgone':
    case 'AgentPaymentFailed':
    case 'AgentPaymentRejected':
    case 'AgentPaymentExpired':
    case 'AgentPaymentWithdrawn':
    case 'AgentPaymentSettlementObserved':
    case 'AgentPaymentSettlementCheckRequested':
      return ignored;
    default:
      return notFollowed(event, ignored);
  }
}

function reported({ data, stream, position, metadata }: RecordedEvent): readonly Step[] {
  const { transaction_hash: hash } = data as Readonly<{ transaction_hash?: string | null }>;
  if (typeof hash !== 'string') return ignored;
  const order = String(position).padStart(POSITION_DIGITS, '0');
  const document: SettlementReport = {
    id: `${hash} ${stream}`,
    hash,
    stream,
    order,
    occurred_at: metadata.occurred_at,
  };
  return [
    {
      collection: settlementReports,
      id: document.id,
      // Later reports of the same payment add nothing.
      next: (current: Document | undefined) => ({ document: current ?? document }),
    },
  ];
}
