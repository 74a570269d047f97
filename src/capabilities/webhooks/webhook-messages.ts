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
import {
  domainView,
  type MerchantDomainDocument,
  merchantDomains,
  merchantsProjection,
} from '../../../projections/merchants.projection';
import { type RecipientDocument, recipientsProjection } from '../../../projections/recipients.projection';
import { type Document } from '../../platform/read-model/projection';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { findingView, type Settlement } from '../../kernel/settlement';
import { withoutNulls } from '../../kernel/without-nulls';
import { type PaymentRequestEvent } from '../../events/payment-request.events';
import { type EventsOf } from '../../events';
import { type Category } from '../../kernel/aggregates';

/** Exactly what receivers get, once serialized, and what readers of the feed see next to the cursor. */
export type WebhookMessage = Readonly<{ type: string; timestamp: string; data: object }>;

/** A merchant as far as it is reported: its domains, by id. */
export type MerchantSubject = Document & Readonly<{ domains: Readonly<Record<string, MerchantDomainDocument>> }>;

export type SubjectDocument =
  | PaymentRequestDocument
  | AgentPaymentDocument
  | ConnectionDocument
  | RecipientDocument
  | MerchantSubject;

/** The document after one more event of its own stream. */
export function documentAfter(before: SubjectDocument | undefined, event: RecordedEvent): SubjectDocument | undefined {
  if (event.type.startsWith('PaymentRequest')) {
    const request = before as PaymentRequestDocument | undefined;
    return nextPaymentRequest(request, event as RecordedEvent & PaymentRequestEvent, requestPlace(event));
  }
  if (event.type.startsWith('Merchant')) return merchantAfter(before as MerchantSubject | undefined, event);
  const { project } = projectionOf(event.type);
  const document = project(event).reduce<Document | undefined>((known, step) => step.next(known).document, before);
  return document as SubjectDocument | undefined;
}

function projectionOf(type: string) {
  if (type.startsWith('AgentPayment')) return agentPaymentsProjection;
  return type.startsWith('Recipient') ? recipientsProjection : connectionsProjection;
}

function merchantAfter(before: MerchantSubject = { id: '', domains: {} }, event: RecordedEvent): MerchantSubject {
  const steps = merchantsProjection.project(event).filter(({ collection }) => collection === merchantDomains);
  const domains = { ...before.domains };
  for (const { id, next } of steps) domains[id] = next(domains[id]).document as MerchantDomainDocument;
  const { merchant_id: id } = event.data as { merchant_id: string };
  return { id, domains };
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
  Messages<'connection', ConnectionDocument> &
  Messages<'recipient', RecipientDocument> &
  Messages<'merchant', MerchantSubject> = {
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
  AgentPaymentSettlementCheckRequested: null,
  ConnectionCreated: connectionMessage,
  ConnectionTokenRotated: null,
  ConnectionTokenHandedOver: null,
  ConnectionPaused: connectionMessage,
  ConnectionResumed: connectionMessage,
  ConnectionRevoked: connectionMessage,
  RecipientCreated: null,
  RecipientVersionAdded: null,
  RecipientVersionVerified: null,
  RecipientVersionActivated: recipientMessage,
  RecipientVersionRetired: recipientMessage,
  MerchantCreated: null,
  MerchantRenamed: null,
  MerchantActivated: null,
  MerchantDomainRegistered: null,
  MerchantDomainVerified: domainMessage,
  MerchantDomainSuperseded: domainMessage,
  MerchantDomainGivenUp: null,
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

/** Of all its versions only the one that it is about: there may be hundreds. */
function recipientMessage(
  type: string,
  { metadata, data: facts }: RecordedEvent,
  { id: recipient_id, name, active_version_id, versions, version, updated_at: occurred_at }: RecipientDocument,
): WebhookMessage {
  const { recipient_version_id, superseded_version_id, withdraw_pending } = facts as {
    recipient_version_id: string;
    superseded_version_id?: string | null;
    withdraw_pending?: boolean;
  };
  const data = {
    event_id: metadata.event_id,
    type,
    recipient_id,
    recipient_version_id,
    ...(superseded_version_id === undefined ? {} : { superseded_version_id }),
    ...(withdraw_pending === undefined ? {} : { withdraw_pending }),
    occurred_at,
    recipient: { recipient_id, name, active_version_id, version },
    recipient_version: versions.find((one) => one.recipient_version_id === recipient_version_id) ?? null,
  };
  return { type, timestamp: occurred_at, data };
}

function domainMessage(
  type: string,
  { metadata, data: facts }: RecordedEvent,
  { domains }: MerchantSubject,
): WebhookMessage {
  const { domain_id, domain } = facts as { domain_id: string; domain: string };
  const document = domains[domain_id];
  if (document === undefined) throw new Error(`${domain_id} was never registered`);
  const { updated_at: occurred_at } = document;
  const data = {
    event_id: metadata.event_id,
    type,
    domain_id,
    domain,
    occurred_at,
    merchant_domain: domainView(document),
  };
  return { type, timestamp: occurred_at, data };
}

type Facts = Readonly<{
  settlement?: Settlement;
  contested?: boolean;
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
  const { settlement, contested, ...more } = facts as Facts;
  const isLate = more.reported_status !== undefined;
  // Neither a finding about the network nor a late report changes the status.
  const { previous_status = settlement || isLate ? payment.status : null } = more;
  const { id, status, updated_at: occurred_at } = payment;
  const late = isLate ? { data: withoutNulls({ transaction_hash: more.transaction_hash, ledger: more.ledger }) } : {};
  const found = settlement ? { data: findingView({ settlement, contested }) } : late;
  const entry = { event_id: metadata.event_id, type, id, status, previous_status, occurred_at, ...found };
  return { type, timestamp: occurred_at, data: { ...entry, agent_payment: agentPaymentView(payment) } };
}
