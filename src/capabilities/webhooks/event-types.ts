import { WEBHOOK_TYPE_OF } from '../../../projections/webhook-types';

/** Every type an endpoint can ask for: the one list behind inputs, answers and the OpenAPI document. */
export const WEBHOOK_EVENT_TYPES = [
  'payment_request.created',
  'payment_request.signed',
  'payment_request.broadcasted',
  'payment_request.confirmed',
  'payment_request.failed',
  'payment_request.expired',
  'payment_request.rejected',
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
  'agent_payment.settlement_observed',
] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

/** Does not compile when an event is told under a name that nobody can ask for. */
const checked: Readonly<Record<string, WebhookEventType | null>> = WEBHOOK_TYPE_OF;

export const toldTypes: Readonly<Record<string, WebhookEventType>> = Object.fromEntries(
  Object.entries(checked).flatMap(([event, type]) => (type === null ? [] : [[event, type]])),
);

/** Sent on demand only, so nobody can subscribe to them. */
export const VERIFICATION_TYPE = 'webhook.verification';
export const TEST_TYPE = 'webhook.test';
