// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type DeliveryId, type EndpointId, type MerchantId } from '../kernel/aggregates';

type Own = Readonly<{
  delivery_id: DeliveryId;
  endpoint_id: EndpointId;
  merchant_id: MerchantId;
  /** What is delivered in order with it: the endpoint and the payment request or connection. */
  lane: string;
}>;

export type WebhookDeliveryScheduled = Readonly<{
  type: 'WebhookDeliveryScheduled';
  data: Own &
    Readonly<{
      event_id: string;
      event_type: string;
      /** The payment request or connection it is about. */
      subject_id: string;
      /** Its place in the lane: the version of the event it tells of. */
      sequence: number;
      /** The exact text that every attempt sends. */
      body: string;
      due_at: string;
      scheduled_at: string;
    }>;
}>;

/**
 * It has a life of its own from now on: its first attempt failed, an earlier one of its lane stands before it, or it is to be
 * sent again. Of what is told the log holds the event already, so each attempt makes the same text from that.
 */
export type WebhookDeliveryOpened = Readonly<{
  type: 'WebhookDeliveryOpened';
  data: Own &
    Readonly<{
      event_id: string;
      event_type: string;
      subject_id: string;
      /** Its place in the lane: the version of the event it tells of. */
      sequence: number;
      /** Of the merchant's feed. */
      cursor: number;
      /** How many attempts the endpoint's outcomes tell of already. */
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

/** It begins its attempts anew. */
export type WebhookDeliveryRequeued = Readonly<{
  type: 'WebhookDeliveryRequeued';
  data: Own &
    Readonly<{
      sequence: number;
      kind: 'manual' | 'recovery' | 'rewind';
      /** Names the wish, so that it is granted once. */
      requeue_id: string;
      /** It had come to an end before, and is now open again. */
      reopened: boolean;
      due_at: string;
      requeued_at: string;
    }>;
}>;

/** Its endpoint was deleted while it was still to be sent. */
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
