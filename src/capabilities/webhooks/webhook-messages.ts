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
  requestPlace,
} from '../../../projections/payment-request-document';
import {
  type PaymentRequestEventDocument,
  paymentRequestEventsProjection,
  paymentRequestEventView,
} from '../../../projections/payment-request-events.projection';
import { type Document } from '../../platform/read-model/projection';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { type Settlement } from '../../kernel/settlement';
import { withoutNulls } from '../../kernel/without-nulls';
import { type PaymentRequestEvent } from '../../events/payment-request.events';
import { type EventsOf } from '../../events';
import { type Category } from '../../kernel/aggregates';

/** Exactly what receivers get, once serialized, and what readers of the feed see next to the cursor. */
export type WebhookMessage = Readonly<{ type: string; timestamp: string; data: object }>;

export type SubjectDocument = PaymentRequestDocument | AgentPaymentDocument | ConnectionDocument;

/** The document after one more event of its own stream. */
export function documentAfter(before: SubjectDocument | undefined, event: RecordedEvent): SubjectDocument | undefined {
  if (event.type.startsWith('PaymentRequest')) {
    const request = before as PaymentRequestDocument | undefined;
    return nextPaymentRequest(request, event as RecordedEvent & PaymentRequestEvent, requestPlace(event));
  }
  const { project } = event.type.startsWith('AgentPayment') ? agentPaymentsProjection : connectionsProjection;
  const document = project(event).reduce<Document | undefined>((known, step) => step.next(known).document, before);
  return document as SubjectDocument | undefined;
}

/**
 * The message about an event, given its subject as of that event. It depends only on the log up to that event, so it is
 * the same whenever it is built.
 */
export function messageOf(type: string, event: RecordedEvent, subject: SubjectDocument): WebhookMessage {
  const build = MESSAGES[event.type as keyof typeof MESSAGES] as Build<SubjectDocument> | null | undefined;
  if (!build) throw new Error(`there is no message about ${event.type}`);
  return build(type, event, subject);
}

type Build<Subject> = (type: string, event: RecordedEvent, subject: Subject) => WebhookMessage;
type Messages<C extends Category, Subject> = Readonly<Record<EventsOf[C]['type'], Build<Subject> | null>>;

/** The message for each event of the categories merchants follow; null for events that nobody is notified of. */
const MESSAGES: Messages<'payment_request', PaymentRequestDocument> &
  Messages<'agent_payment', AgentPaymentDocument> &
  Messages<'connection', ConnectionDocument> = {
  PaymentRequestCreated: paymentRequestMessage,
  PaymentRequestSigned: paymentRequestMessage,
  PaymentRequestBroadcasted: paymentRequestMessage,
  PaymentRequestConfirmed: paymentRequestMessage,
  PaymentRequestFailed: paymentRequestMessage,
  PaymentRequestRejected: paymentRequestMessage,
  PaymentRequestExpired: paymentRequestMessage,
  PaymentRequestWithdrawn: paymentRequestMessage,
  PaymentRequestLateReport: paymentRequestMessage,
  PaymentRequestKeyAssigned: null,
  PaymentRequestKeyTaken: null,
  PaymentRequestSettlementObserved: paymentRequestMessage,
  PaymentRequestSettlementCheckRequested: null,
  AgentPaymentCreated: agentPaymentMessage,
  AgentPaymentRefused: null,
  AgentPaymentForgone: null,
  AgentPaymentSigned: agentPaymentMessage,
  AgentPaymentBroadcasted: agentPaymentMessage,
  AgentPaymentConfirmed: agentPaymentMessage,
  AgentPaymentFailed: agentPaymentMessage,
  AgentPaymentRejected: agentPaymentMessage,
  AgentPaymentExpired: agentPaymentMessage,
  AgentPaymentWithdrawn: agentPaymentMessage,
  AgentPaymentLateReport: agentPaymentMessage,
  AgentPaymentSettlementObserved: agentPaymentMessage,
  ConnectionCreated: connectionMessage,
  ConnectionTokenRotated: null,
  ConnectionTokenHandedOver: null,
  ConnectionPaused: connectionMessage,
  ConnectionResumed: connectionMessage,
  ConnectionRevoked: connectionMessage,
};

function paymentRequestMessage(type: string, event: RecordedEvent, request: PaymentRequestDocument): WebhookMessage {
  const { cursor: _, ...entry } = paymentRequestEventView(polledEvent(event));
  const data = { ...entry, payment_request: paymentRequestView(request) };
  return { type, timestamp: entry.occurred_at, data };
}

/** The event as pollers see it; its cursor belongs to another feed and is dropped. */
function polledEvent(event: RecordedEvent): PaymentRequestEventDocument {
  const [step] = paymentRequestEventsProjection.project(event);
  return step?.next(undefined).also?.[0]?.document as PaymentRequestEventDocument;
}

function connectionMessage(
  type: string,
  { metadata, data: facts }: RecordedEvent,
  { id, device_id: _d, merchant_id: _m, revoked_reason: _r, ...connection }: ConnectionDocument,
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
  return { type, timestamp: occurred_at, data };
}

type Facts = Readonly<{
  settlement?: Settlement;
  previous_status?: string;
  reported_status?: string;
  transaction_hash?: string | null;
  ledger?: number | null;
}>;

function agentPaymentMessage(
  type: string,
  { metadata, data: facts }: RecordedEvent,
  payment: AgentPaymentDocument,
): WebhookMessage {
  const { settlement, ...more } = facts as Facts;
  const isLate = more.reported_status !== undefined;
  // Neither a finding about the network nor a late report changes the status.
  const { previous_status = settlement || isLate ? payment.status : null } = more;
  const { id, status, updated_at: occurred_at } = payment;
  const late = isLate ? { data: withoutNulls({ transaction_hash: more.transaction_hash, ledger: more.ledger }) } : {};
  const found = settlement ? { data: { settlement } } : late;
  const entry = { event_id: metadata.event_id, type, id, status, previous_status, occurred_at, ...found };
  return { type, timestamp: occurred_at, data: { ...entry, agent_payment: agentPaymentView(payment) } };
}
