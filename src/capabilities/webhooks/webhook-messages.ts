import {
  type AgentPaymentDocument,
  agentPaymentsProjection,
  agentPaymentView,
} from '../../../projections/agent-payments.projection';
import { connectionsProjection, type ConnectionDocument } from '../../../projections/connections.projection';
import {
  nextPaymentRequest,
  type PaymentRequestDocument,
  paymentRequestView,
} from '../../../projections/payment-request-document';
import {
  type PaymentRequestEventDocument,
  paymentRequestEventsProjection,
  paymentRequestEventView,
} from '../../../projections/payment-request-events.projection';
import { type Document } from '../../../projections/projection';
import { decodeEvent } from '../../platform/event-store/event-codec';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { type PaymentRequestEvent } from '../payment-requests/payment-request.events';
import { type WebhookEventType } from './event-types';

export type WebhookMessage = Readonly<{
  /** The payment request, agent payment or connection it is about: what is kept in order. */
  subjectId: string;
  body: string;
}>;

export type SubjectDocument = PaymentRequestDocument | AgentPaymentDocument | ConnectionDocument;

/** Which events are told of, and under which name. */
export const TOLD: Readonly<Record<string, WebhookEventType>> = {
  PaymentRequestCreated: 'payment_request.created',
  PaymentRequestSigned: 'payment_request.signed',
  PaymentRequestBroadcasted: 'payment_request.broadcasted',
  PaymentRequestConfirmed: 'payment_request.confirmed',
  PaymentRequestFailed: 'payment_request.failed',
  PaymentRequestRejected: 'payment_request.rejected',
  PaymentRequestExpired: 'payment_request.expired',
  AgentPaymentCreated: 'agent_payment.created',
  AgentPaymentSigned: 'agent_payment.signed',
  AgentPaymentBroadcasted: 'agent_payment.broadcasted',
  AgentPaymentConfirmed: 'agent_payment.confirmed',
  AgentPaymentFailed: 'agent_payment.failed',
  AgentPaymentRejected: 'agent_payment.rejected',
  AgentPaymentExpired: 'agent_payment.expired',
  ConnectionCreated: 'connection.created',
  ConnectionPaused: 'connection.paused',
  ConnectionResumed: 'connection.resumed',
  ConnectionRevoked: 'connection.revoked',
};

/** The document after one more event of its own stream. */
export function documentAfter(before: SubjectDocument | undefined, event: RecordedEvent): SubjectDocument | undefined {
  if (event.type.startsWith('PaymentRequest')) {
    const request = before as PaymentRequestDocument | undefined;
    return nextPaymentRequest(request, decodeEvent<PaymentRequestEvent>(event), event.version);
  }
  const { project } = event.type.startsWith('AgentPayment') ? agentPaymentsProjection : connectionsProjection;
  const document = project(event).reduce<Document | undefined>((known, step) => step.next(known).document, before);
  return document as SubjectDocument | undefined;
}

/**
 * What is told of an event, given its subject as it was after it. It follows from the log up to that event alone, so it is
 * the same whenever it is made.
 */
export function messageOf(type: WebhookEventType, event: RecordedEvent, subject: SubjectDocument): WebhookMessage {
  if (type.startsWith('payment_request.')) return paymentRequestMessage(type, event, subject as PaymentRequestDocument);
  if (type.startsWith('agent_payment.')) return agentPaymentMessage(type, event, subject as AgentPaymentDocument);
  return connectionMessage(type, event, subject as ConnectionDocument);
}

function paymentRequestMessage(
  type: WebhookEventType,
  event: RecordedEvent,
  request: PaymentRequestDocument,
): WebhookMessage {
  const { cursor: _, ...entry } = paymentRequestEventView(polledEvent(event));
  const data = { ...entry, payment_request: paymentRequestView(request) };
  return { subjectId: request.id, body: bodyOf(type, entry.occurred_at, data) };
}

/** The event as pollers see it; the cursor is not this reader's and is dropped. */
function polledEvent(event: RecordedEvent): PaymentRequestEventDocument {
  const [step] = paymentRequestEventsProjection.project(event);
  return step?.next(undefined).also?.[0]?.document as PaymentRequestEventDocument;
}

function connectionMessage(
  type: WebhookEventType,
  { metadata, data: facts }: RecordedEvent,
  { id, device_id: _d, merchant_id: _m, ...connection }: ConnectionDocument,
): WebhookMessage {
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
  return { subjectId: id, body: bodyOf(type, occurred_at, data) };
}

function agentPaymentMessage(
  type: WebhookEventType,
  { metadata, data: facts }: RecordedEvent,
  payment: AgentPaymentDocument,
): WebhookMessage {
  const { previous_status = null } = facts as { previous_status?: string };
  const { id, status, updated_at: occurred_at } = payment;
  const entry = { event_id: metadata.event_id, type, id, status, previous_status, occurred_at };
  const body = bodyOf(type, occurred_at, { ...entry, agent_payment: agentPaymentView(payment) });
  return { subjectId: id, body };
}

const bodyOf = (type: string, timestamp: string, data: object): string => JSON.stringify({ type, timestamp, data });
