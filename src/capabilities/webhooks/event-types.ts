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
] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

/** Does not compile when an event is told under a name that nobody can ask for. */
export const toldTypes: Readonly<Record<string, WebhookEventType>> = WEBHOOK_TYPE_OF;

/** Sent on demand only, so nobody can subscribe to it. */
export const VERIFICATION_TYPE = 'webhook.verification';
