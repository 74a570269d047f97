import { type AgentPayment, type AgentPaymentStatus } from './agent-payment.ts';
import { type Connection } from './connect.ts';
import { type PaymentRequest, type PaymentRequestEvent } from './payment.ts';

type PaymentStep = 'created' | 'signed' | 'broadcasted' | 'confirmed' | 'failed' | 'expired' | 'rejected';

type ConnectionEventType = `connection.${'created' | 'paused' | 'resumed' | 'revoked'}`;

export type WebhookEventType = `payment_request.${PaymentStep}` | `agent_payment.${PaymentStep}` | ConnectionEventType;

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
  /** Every type unless told. */
  events?: readonly WebhookEventType[];
  description?: string | null;
}>;

export type WebhookAttempt = Readonly<{
  number: number;
  kind: 'initial' | 'automatic' | 'manual';
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
  status: 'pending' | 'succeeded' | 'failed' | 'cancelled';
  next_attempt_at: string | null;
  attempt_count: number;
  attempts: readonly WebhookAttempt[];
  created_at: string;
  updated_at: string;
  version: number;
}>;

/** What a receiver is sent, once its signature is verified. */
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
      type: 'webhook.verification';
      timestamp: string;
      data: Readonly<{ webhook_endpoint_id: string; challenge: string }>;
    }>;

/** One entry of the merchant's feed: a webhook's body under its cursor. */
export type MerchantEvent = WebhookMessage & Readonly<{ cursor: number }>;

export type MerchantEventPage = Readonly<{
  events: readonly MerchantEvent[];
  next_cursor: number;
  newest_cursor: number;
  has_more: boolean;
}>;
