import { type EventsOf } from '../src/events';

/** Which events merchants are notified of, in webhooks and in their feed, and under which name. */
export const WEBHOOK_TYPE_OF = {
  PaymentRequestCreated: 'payment_request.created',
  PaymentRequestSigned: 'payment_request.signed',
  PaymentRequestBroadcasted: 'payment_request.broadcasted',
  PaymentRequestConfirmed: 'payment_request.confirmed',
  PaymentRequestFailed: 'payment_request.failed',
  PaymentRequestRejected: 'payment_request.rejected',
  PaymentRequestSettlementObserved: 'payment_request.settlement_observed',
  PaymentRequestExpired: 'payment_request.expired',
  AgentPaymentCreated: 'agent_payment.created',
  AgentPaymentSigned: 'agent_payment.signed',
  AgentPaymentBroadcasted: 'agent_payment.broadcasted',
  AgentPaymentConfirmed: 'agent_payment.confirmed',
  AgentPaymentFailed: 'agent_payment.failed',
  AgentPaymentRejected: 'agent_payment.rejected',
  AgentPaymentSettlementObserved: 'agent_payment.settlement_observed',
  AgentPaymentExpired: 'agent_payment.expired',
  ConnectionCreated: 'connection.created',
  ConnectionPaused: 'connection.paused',
  ConnectionResumed: 'connection.resumed',
  ConnectionRevoked: 'connection.revoked',
  // Nobody is notified of these.
  PaymentRequestLateReport: null,
  PaymentRequestKeyAssigned: null,
  PaymentRequestKeyTaken: null,
  PaymentRequestSettlementCheckRequested: null,
  AgentPaymentRefused: null,
  AgentPaymentForgone: null,
  AgentPaymentLateReport: null,
  ConnectionTokenRotated: null,
  ConnectionTokenHandedOver: null,
} as const satisfies Readonly<
  Record<EventsOf['payment_request' | 'agent_payment' | 'connection']['type'], string | null>
>;

const types: ReadonlyMap<string, string> = new Map(
  Object.entries(WEBHOOK_TYPE_OF).flatMap(([event, type]) => (type === null ? [] : [[event, type] as const])),
);

/** Undefined for events that nobody is notified of. */
export const webhookTypeOf = (eventType: string): string | undefined => types.get(eventType);
