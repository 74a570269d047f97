/** In the order of a payment's life cycle. */
const PAYMENT_STEPS = [
  'created',
  'signed',
  'broadcasted',
  'confirmed',
  'failed',
  'expired',
  'rejected',
  'late_report',
  'settlement_observed',
] as const;
export type PaymentStep = (typeof PAYMENT_STEPS)[number];

const CONNECTION_STEPS = ['created', 'paused', 'resumed', 'revoked'] as const;

/** When a payout address changes, or what vouches for it. */
const PAYEE_EVENTS = [
  'recipient.version_activated',
  'recipient.version_retired',
  'merchant_domain.verified',
  'merchant_domain.superseded',
] as const;
export type PayeeEventType = (typeof PAYEE_EVENTS)[number];

export type ConnectionEventType = `connection.${(typeof CONNECTION_STEPS)[number]}`;

export type WebhookEventType =
  | `payment_request.${PaymentStep}`
  | `agent_payment.${PaymentStep}`
  | ConnectionEventType
  | PayeeEventType;

/** Every event type that an endpoint can subscribe to. */
export const WEBHOOK_EVENT_TYPES: readonly WebhookEventType[] = [
  ...PAYMENT_STEPS.map((step) => `payment_request.${step}` as const),
  ...PAYMENT_STEPS.map((step) => `agent_payment.${step}` as const),
  ...CONNECTION_STEPS.map((step) => `connection.${step}` as const),
  ...PAYEE_EVENTS,
];
