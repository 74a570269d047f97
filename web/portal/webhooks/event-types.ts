import { type WebhookEventType } from '../../../sdk/src/types/webhook.ts';

const STEPS = [
  'created',
  'signed',
  'broadcasted',
  'confirmed',
  'failed',
  'expired',
  'rejected',
  'settlement_observed',
] as const;

export const EVENT_TYPES: readonly WebhookEventType[] = [
  ...STEPS.map((step) => `payment_request.${step}` as const),
  ...STEPS.map((step) => `agent_payment.${step}` as const),
  ...(['created', 'paused', 'resumed', 'revoked'] as const).map((step) => `connection.${step}` as const),
];

/** Whether these are all that are known here. A service that is newer may have others besides. */
export const hasEvery = (events: readonly string[]): boolean => EVENT_TYPES.every((type) => events.includes(type));
