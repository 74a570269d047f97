// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type DeliveryId, type EndpointId, type MerchantId } from '../kernel/aggregates';

type Own = Readonly<{
  delivery_id: DeliveryId;
  endpoint_id: EndpointId;
  merchant_id: MerchantId;
  /** What is delivered in order with it: the endpoint and the payment request, agent payment or connection. */
  lane: string;
}>;

/** No longer written: deliveries are derived from the log, and only those that are not accepted at once get a stream. */
export type WebhookDeliveryScheduled = Readonly<{
  type: 'WebhookDeliveryScheduled';
  data: Own &
    Readonly<{
      event_id: string;
      event_type: string;
      /** The payment request, agent payment or connection it is about. */
      subject_id: string;
      /** Its place in the lane: the version of the event it reports. */
      sequence: number;
      /** The exact body that every attempt sends. */
      body: string;
      due_at: string;
      scheduled_at: string;
    }>;
}>;

/**
 * It has a stream of its own from now on: its first attempt failed, an earlier one in its lane goes first, or it is to
 * be sent again. The log already holds the event it reports, so each attempt builds the same body from that.
 */
export type WebhookDeliveryOpened = Readonly<{
  type: 'WebhookDeliveryOpened';
  data: Own &
    Readonly<{
      event_id: string;
      event_type: string;
      subject_id: string;
      /** Its place in the lane: the version of the event it reports. */
      sequence: number;
      /** In the merchant's feed. */
      cursor: number;
      /** How many attempts the endpoint's outcomes have already recorded. */
      attempts: number;
      due_at: string;
      opened_at: string;
    }>;
}>;

export type AttemptKind = 'initial' | 'automatic' | 'manual' | 'rewind';
export type AttemptOutcome = 'succeeded' | 'retry' | 'failed';

export type WebhookDeliveryAttempted = Readonly<{
  type: 'WebhookDeliveryAttempted';
  data: Own &
    Readonly<{
      /** Counts all attempts of this delivery, from 1. */
      number: number;
      kind: AttemptKind;
      sent_at: string;
      status_code: number | null;
      duration_ms: number;
      error_kind: string | null;
      outcome: AttemptOutcome;
      next_due_at: string | null;
    }>;
}>;

/** It starts a new round of attempts. */
export type WebhookDeliveryRequeued = Readonly<{
  type: 'WebhookDeliveryRequeued';
  data: Own &
    Readonly<{
      sequence: number;
      kind: 'manual' | 'recovery' | 'rewind';
      /** Identifies the request, so that it takes effect once. */
      requeue_id: string;
      /** It had ended, and is now open again. */
      reopened: boolean;
      due_at: string;
      requeued_at: string;
    }>;
}>;

/** Its endpoint was deleted before it was sent. */
export type WebhookDeliveryCancelled = Readonly<{
  type: 'WebhookDeliveryCancelled';
  data: Own & Readonly<{ cancelled_at: string }>;
}>;

export type WebhookDeliveryEvent =
  | WebhookDeliveryScheduled
  | WebhookDeliveryOpened
  | WebhookDeliveryAttempted
  | WebhookDeliveryRequeued
  | WebhookDeliveryCancelled;
