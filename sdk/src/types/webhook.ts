import { type AgentPayment, type AgentPaymentStatus } from './agent-payment.ts';
import { type Connection } from './connect.ts';
import { type PaymentRequest, type PaymentRequestEvent } from './payment.ts';
import { type ConnectionEventType, type PaymentStep, type WebhookEventType } from '../webhook-event-types.ts';

export type { WebhookEventType } from '../webhook-event-types.ts';

export type WebhookEndpoint = Readonly<{
  webhook_endpoint_id: string;
  url: string;
  events: readonly WebhookEventType[];
  description: string | null;
  status: 'pending' | 'active' | 'disabled';
  disabled_reason: 'merchant' | 'gone' | 'failing' | null;
  verified_at: string | null;
  previous_secret_until: string | null;
  created_at: string;
  updated_at: string;
  version: number;
}>;

export type NewWebhookEndpoint = Readonly<{
  url: string;
  /** Every type by default. */
  events?: readonly WebhookEventType[];
  description?: string | null;
}>;

export type WebhookAttempt = Readonly<{
  number: number;
  kind: 'initial' | 'automatic' | 'manual' | 'rewind';
  sent_at: string;
  status_code: number | null;
  duration_ms: number;
  error_kind: string | null;
  outcome: 'succeeded' | 'retry' | 'failed';
}>;

export type WebhookDelivery = Readonly<{
  webhook_delivery_id: string;
  webhook_endpoint_id: string;
  event_id: string;
  event_type: WebhookEventType;
  subject_id: string;
  /** In the merchant's feed. */
  cursor: number | null;
  status: 'pending' | 'succeeded' | 'failed' | 'cancelled';
  next_attempt_at: string | null;
  attempt_count: number;
  attempts: readonly WebhookAttempt[];
  created_at: string;
  updated_at: string;
  version: number;
}>;

/** A range of the merchant's feed that is sent to an endpoint again. */
export type WebhookRewind = Readonly<{
  rewind_id: string;
  webhook_endpoint_id: string;
  status: 'running' | 'done' | 'cancelled';
  from_cursor: number;
  to_cursor: number;
  types: readonly WebhookEventType[] | null;
  deliveries: number;
  delivered: number;
  failed: number;
  reached_cursor: number;
  created_at: string;
  updated_at: string;
}>;

export type NewWebhookRewind = Readonly<{
  /** Exclusive: the last event that is not sent again. */
  from_cursor: number;
  /** The newest by default. */
  to_cursor?: number;
  types?: readonly WebhookEventType[];
}>;

export type WebhookTest = Readonly<{
  message_id: string;
  delivered: boolean;
  status_code: number | null;
  duration_ms: number;
  error_kind: string | null;
}>;

/** What a receiver gets, once its signature is verified. */
export type WebhookMessage =
  | Readonly<{
      type: `payment_request.${PaymentStep}`;
      timestamp: string;
      data: Omit<PaymentRequestEvent, 'cursor'> & Readonly<{ payment_request: PaymentRequest }>;
    }>
  | Readonly<{
      type: `agent_payment.${PaymentStep}`;
      timestamp: string;
      data: Readonly<{
        event_id: string;
        type: `agent_payment.${PaymentStep}`;
        id: string;
        status: AgentPaymentStatus;
        previous_status: AgentPaymentStatus | null;
        occurred_at: string;
        agent_payment: AgentPayment;
      }>;
    }>
  | Readonly<{
      type: ConnectionEventType;
      timestamp: string;
      data: Readonly<{ event_id: string; type: ConnectionEventType; reason?: string; occurred_at: string }> &
        Omit<Connection, 'merchant_id' | 'created_at' | 'updated_at' | 'version'>;
    }>
  | Readonly<{
      type: 'webhook.test';
      timestamp: string;
      data: Readonly<{ webhook_endpoint_id: string; test: true }>;
    }>
  | Readonly<{
      type: 'webhook.verification';
      timestamp: string;
      data: Readonly<{ webhook_endpoint_id: string; challenge: string }>;
    }>;

/** An entry of the merchant's feed: the webhook message with its cursor. */
export type MerchantEvent = Readonly<{ cursor: number }> &
  Exclude<WebhookMessage, Readonly<{ type: 'webhook.verification' | 'webhook.test' }>>;

export type MerchantEventPage = Readonly<{
  events: readonly MerchantEvent[];
  next_cursor: number;
  /** The newest cursor in the feed. */
  newest_cursor: number;
  has_more: boolean;
}>;
