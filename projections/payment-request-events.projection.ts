import { notFollowed } from '../src/kernel/assert-never';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { type PaymentRequestEvent, type PaymentRequestStatus } from '../src/events/payment-request.events';
import { WITHDRAWN } from '../src/kernel/payment-progress';
import { findingView, type SettlementView } from '../src/kernel/settlement';
import { withoutNulls } from '../src/kernel/without-nulls';
import { collection, type Document, ignored, type Projection, type Step } from '../src/platform/read-model/projection';
import { type ConnectionId } from '../src/kernel/aggregates';
import { isFedLateReport } from './webhook-types';

/** One status event as an agent polls it. */
export type PaymentRequestEventDocument = Readonly<{
  id: string;
  connection_id: ConnectionId;
  /** 1, 2, 3 … within the connection, in the order of the log: the same after any rebuild. */
  cursor: number;
  event_id: string;
  request_id: string;
  transaction_id: string | null;
  status: PaymentRequestStatus;
  previous_status: PaymentRequestStatus | null;
  occurred_at: string;
  /** Of a late report, which changes no status. */
  late?: true;
  data: Readonly<{
    transaction_hash?: string;
    reason?: string;
    ledger?: number;
    settlement?: SettlementView;
    contested?: boolean;
  }>;
}>;

type Feed = Readonly<{ id: string; length: number }>;

export const paymentRequestEvents = collection<PaymentRequestEventDocument>('payment_request_events');

/** How many events each connection has, which numbers the next one. */
export const paymentRequestFeeds = collection<Feed>('payment_request_feeds', {}, { writtenLast: true });

export const feedEntryId = (connectionId: ConnectionId, cursor: number): string => `${connectionId}:${cursor}`;

export const paymentRequestEventsProjection: Projection = {
  name: 'payment-request-events',
  // 2: a wallet may name the transaction when it signs; what came late is told.
  version: 3,
  collections: [paymentRequestEvents, paymentRequestFeeds],
  project: (recorded) => steps(recorded as RecordedEvent & PaymentRequestEvent),
};

function steps(event: RecordedEvent & PaymentRequestEvent): readonly Step[] {
  switch (event.type) {
    case 'PaymentRequestCreated': {
      const { connection_id, request_id, transaction_id, created_at } = event.data;
      const at = { occurred_at: created_at, previous_status: null };
      return [numbered(event, { connection_id, request_id, transaction_id, status: 'pending', ...at, data: {} })];
    }
    case 'PaymentRequestSigned':
      return [moved(event, 'signed', withoutNulls({ transaction_hash: event.data.transaction_hash ?? null }))];
    case 'PaymentRequestBroadcasted':
      return [moved(event, 'broadcasted', { transaction_hash: event.data.transaction_hash })];
    case 'PaymentRequestConfirmed': {
      const { transaction_hash, ledger } = event.data;
      return [moved(event, 'confirmed', { transaction_hash, ...(ledger === null ? {} : { ledger }) })];
    }
    case 'PaymentRequestFailed':
      return [moved(event, 'failed', { reason: event.data.reason })];
    case 'PaymentRequestRejected': {
      const { reason } = event.data;
      return [moved(event, 'rejected', reason === null ? {} : { reason })];
    }
    case 'PaymentRequestExpired':
      return [moved(event, 'expired')];
    case 'PaymentRequestWithdrawn':
      return [moved(event, 'failed', { reason: WITHDRAWN })];
    case 'PaymentRequestLateReport': {
      const { connection_id, request_id, transaction_id = null, status, transaction_hash, ledger, at } = event.data;
      if (status === undefined || !isFedLateReport(event.data)) return ignored;
      const entry = { connection_id, request_id, transaction_id, status, previous_status: status, occurred_at: at };
      const data = withoutNulls({ transaction_hash, ledger });
      return [numbered(event, { ...entry, late: true, data })];
    }
    case 'PaymentRequestSettlementObserved': {
      const { connection_id, request_id, transaction_id, status, transaction_hash, at } = event.data;
      const entry = { connection_id, request_id, transaction_id, status, previous_status: status, occurred_at: at };
      return [numbered(event, { ...entry, data: { transaction_hash, ...findingView(event.data) } })];
    }
    case 'PaymentRequestKeyAssigned':
    case 'PaymentRequestKeyTaken':
    case 'PaymentRequestSettlementCheckRequested':
      return ignored;
    default:
      return notFollowed(event, ignored);
  }
}

type Move = Exclude<
  PaymentRequestEvent,
  {
    type:
      | 'PaymentRequestCreated'
      | 'PaymentRequestLateReport'
      | 'PaymentRequestKeyAssigned'
      | 'PaymentRequestKeyTaken'
      | 'PaymentRequestSettlementObserved'
      | 'PaymentRequestSettlementCheckRequested';
  }
>;
type Entry = Omit<PaymentRequestEventDocument, 'id' | 'cursor' | 'event_id'>;

function moved(event: RecordedEvent & Move, status: PaymentRequestStatus, data: Entry['data'] = {}): Step {
  const { connection_id, request_id, transaction_id, previous_status, at } = event.data;
  return numbered(event, {
    connection_id,
    request_id,
    transaction_id,
    status,
    previous_status,
    occurred_at: at,
    data,
  });
}

const numbered = ({ metadata }: RecordedEvent, entry: Entry): Step => ({
  collection: paymentRequestFeeds,
  id: entry.connection_id,
  next: (current: Document | undefined) => {
    const { connection_id } = entry;
    const cursor = ((current as Feed | undefined)?.length ?? 0) + 1;
    const document: PaymentRequestEventDocument = {
      id: feedEntryId(connection_id, cursor),
      cursor,
      event_id: metadata.event_id,
      ...entry,
    };
    const feed: Feed = { id: connection_id, length: cursor };
    return { document: feed, also: [{ collection: paymentRequestEvents, document, isNew: true }] };
  },
});

function newsOf({ data, late, previous_status, status }: PaymentRequestEventDocument): string {
  if (late) return 'late_report';
  if (data.settlement) return 'settlement_observed';
  return previous_status === null ? 'created' : status;
}

/** What callers see. `created` stands for pending, the initial status. */
export const paymentRequestEventView = (entry: PaymentRequestEventDocument) => ({
  cursor: entry.cursor,
  event_id: entry.event_id,
  type: `payment_request.${newsOf(entry)}`,
  request_id: entry.request_id,
  ...(entry.transaction_id === null ? {} : { transaction_id: entry.transaction_id }),
  status: entry.status,
  previous_status: entry.previous_status,
  occurred_at: entry.occurred_at,
  data: entry.data,
});

export type PaymentRequestEventView = ReturnType<typeof paymentRequestEventView>;
