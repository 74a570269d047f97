import { WEBHOOK_TYPE_OF } from '../../../projections/webhook-types';

/** Every type an endpoint can subscribe to: the one list behind inputs, responses and the OpenAPI document. */
export const WEBHOOK_EVENT_TYPES = [
  'payment_request.created',
  'payment_request.signed',
  'payment_request.broadcasted',
  'payment_request.confirmed',
  'payment_request.failed',
  'payment_request.expired',
  'payment_request.rejected',
  'payment_request.late_report',
  'payment_request.settlement_observed',
  'connection.created',
  'connection.paused',
  'connection.resumed',
  'connection.revoked',
  'agent_payment.created',
  'agent_payment.signed',
  'agent_payment.broadcasted',
  'agent_payment.confirmed',
  'agent_payment.failed',
  'agent_payment.expired',
  'agent_payment.rejected',
  'agent_payment.late_report',
  'agent_payment.settlement_observed',
  'recipient.version_activated',
  'recipient.version_retired',
  'merchant_domain.verified',
  'merchant_domain.superseded',
] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

/** Does not compile if an event is reported under a name that nobody can subscribe to. */
const checked: Readonly<Record<string, WebhookEventType | null>> = WEBHOOK_TYPE_OF;

export const webhookTypeByEvent: Readonly<Record<string, WebhookEventType>> = Object.fromEntries(
  Object.entries(checked).flatMap(([event, type]) => (type === null ? [] : [[event, type]])),
);

/** Sent on demand only, so nobody can subscribe to them. */
export const VERIFICATION_TYPE = 'webhook.verification';
export const TEST_TYPE = 'webhook.test';
