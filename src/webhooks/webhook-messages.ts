import {
  type AgentPaymentDocument,
  agentPaymentsProjection,
  agentPaymentView,
} from '../../projections/agent-payments.projection';
import { connectionsProjection, type ConnectionDocument } from '../../projections/connections.projection';
import {
  nextPaymentRequest,
  type PaymentRequestDocument,
  paymentRequestView,
} from '../../projections/payment-request-document';
import {
  type PaymentRequestEventDocument,
  paymentRequestEventsProjection,
  paymentRequestEventView,
} from '../../projections/payment-request-events.projection';
import { type Document, type Projection } from '../../projections/projection';
import { decodeEvent } from '../event-store/event-codec';
import { type RecordedEvent } from '../event-store/event-store.port';
import { type PaymentRequestEvent } from '../payment-requests/payment-request.events';
import { type WebhookEventType } from './event-types';

export type WebhookMessage = Readonly<{
  merchantId: string;
  type: WebhookEventType;
  /** The payment request or connection it is about: what is kept in order. */
  subjectId: string;
  body: string;
}>;

const AGENT_PAYMENT_TYPES: Readonly<Record<string, WebhookEventType>> = {
  AgentPaymentCreated: 'agent_payment.created',
  AgentPaymentSigned: 'agent_payment.signed',
  AgentPaymentBroadcasted: 'agent_payment.broadcasted',
  AgentPaymentConfirmed: 'agent_payment.confirmed',
  AgentPaymentFailed: 'agent_payment.failed',
  AgentPaymentRejected: 'agent_payment.rejected',
  AgentPaymentExpired: 'agent_payment.expired',
};

const CONNECTION_TYPES: Readonly<Record<string, WebhookEventType>> = {
  ConnectionCreated: 'connection.created',
  ConnectionPaused: 'connection.paused',
  ConnectionResumed: 'connection.resumed',
  ConnectionRevoked: 'connection.revoked',
};

/** Everything that may have something to tell. */
export const TOLD_TYPES: readonly string[] = [
  'PaymentRequestCreated',
  'PaymentRequestSigned',
  'PaymentRequestBroadcasted',
  'PaymentRequestConfirmed',
  'PaymentRequestFailed',
  'PaymentRequestRejected',
  'PaymentRequestExpired',
  ...Object.keys(AGENT_PAYMENT_TYPES),
  ...Object.keys(CONNECTION_TYPES),
];

/** Reads a stream from its beginning up to and including the event; asked for only if there is something to tell. */
export type ReadUpTo = (event: RecordedEvent) => Promise<readonly RecordedEvent[]>;

/** What is told of an event. It follows from the log up to that event alone, so it is the same whenever it is made. */
export async function messageOf(event: RecordedEvent, readUpTo: ReadUpTo): Promise<WebhookMessage | undefined> {
  if (event.type.startsWith('PaymentRequest')) return paymentRequestMessage(event, readUpTo);
  const agentPayment = AGENT_PAYMENT_TYPES[event.type];
  if (agentPayment) return agentPaymentMessage(agentPayment, event, await readUpTo(event));
  const connection = CONNECTION_TYPES[event.type];
  return connection && connectionMessage(connection, event, await readUpTo(event));
}

async function paymentRequestMessage(event: RecordedEvent, readUpTo: ReadUpTo): Promise<WebhookMessage | undefined> {
  const polled = polledEvent(event);
  if (polled === undefined) return undefined;
  const history = await readUpTo(event);
  const request = history.reduce<PaymentRequestDocument | undefined>(
    (before, one) => nextPaymentRequest(before, decodeEvent<PaymentRequestEvent>(one), one.version),
    undefined,
  );
  if (request === undefined) throw new Error(`${event.type} of ${event.stream} tells of no request`);
  const { cursor: _, ...entry } = paymentRequestEventView(polled);
  const type = entry.type as WebhookEventType;
  const data = { ...entry, payment_request: paymentRequestView(request) };
  return {
    merchantId: request.merchant_id,
    type,
    subjectId: request.id,
    body: bodyOf(type, entry.occurred_at, data),
  };
}

/** The event as pollers see it; the cursor is not this reader's and is dropped. Undefined for what they never see. */
function polledEvent(event: RecordedEvent): PaymentRequestEventDocument | undefined {
  const [step] = paymentRequestEventsProjection.project(event);
  return step?.next(undefined).also?.[0]?.document as PaymentRequestEventDocument | undefined;
}

function connectionMessage(
  type: WebhookEventType,
  { metadata, data: facts }: RecordedEvent,
  history: readonly RecordedEvent[],
): WebhookMessage {
  const {
    id,
    device_id: _d,
    merchant_id,
    ...connection
  } = documentAfter<ConnectionDocument>(connectionsProjection, history);
  const { updated_at: occurred_at, version: _v, created_at: _c, ...rest } = connection;
  const { reason } = facts as { reason?: string };
  const data = {
    event_id: metadata.event_id,
    type,
    connection_id: id,
    ...rest,
    ...(reason === undefined ? {} : { reason }),
    occurred_at,
  };
  return { merchantId: merchant_id, type, subjectId: id, body: bodyOf(type, occurred_at, data) };
}

function agentPaymentMessage(
  type: WebhookEventType,
  { metadata, data: facts }: RecordedEvent,
  history: readonly RecordedEvent[],
): WebhookMessage {
  const payment = documentAfter<AgentPaymentDocument>(agentPaymentsProjection, history);
  const { previous_status = null } = facts as { previous_status?: string };
  const { id, status, updated_at: occurred_at, merchant_id: merchantId } = payment;
  const entry = { event_id: metadata.event_id, type, id, status, previous_status, occurred_at };
  const body = bodyOf(type, occurred_at, { ...entry, agent_payment: agentPaymentView(payment) });
  return { merchantId, type, subjectId: id, body };
}

/** The document as it was after the last of these events. */
function documentAfter<D extends Document>({ project }: Projection, history: readonly RecordedEvent[]): D {
  const last = history
    .flatMap((event) => project(event))
    .reduce<Document | undefined>((before, step) => step.next(before).document, undefined);
  if (last === undefined) throw new Error('a stream without a beginning');
  return last as D;
}

const bodyOf = (type: string, timestamp: string, data: object): string => JSON.stringify({ type, timestamp, data });
