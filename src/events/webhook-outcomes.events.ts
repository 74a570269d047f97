// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type DeliveryId, type EndpointId, type MerchantId, type RewindId } from '../kernel/aggregates';

type Own = Readonly<{ endpoint_id: EndpointId; merchant_id: MerchantId }>;

/** A delivery that succeeded at its first attempt, or was sent again by a rewind and succeeded. */
export type DeliveryOutcome = Readonly<{
  delivery_id: DeliveryId;
  event_id: string;
  event_type: string;
  /** The payment request, agent payment or connection it is about. */
  subject_id: string;
  /** The version of the event in the subject's stream. */
  sequence: number;
  /** In the merchant's feed. */
  cursor: number;
  sent_at: string;
  status_code: number;
  duration_ms: number;
}>;

/** Many outcomes at once, and how far the endpoint, or the rewind, has come in the merchant's feed. */
export type WebhookDeliveriesRecorded = Readonly<{
  type: 'WebhookDeliveriesRecorded';
  data: Own &
    Readonly<{
      rewind_id: RewindId | null;
      /** Everything up to this cursor is recorded, has a stream of its own, or is not for this endpoint. */
      reached: number;
      outcomes: readonly DeliveryOutcome[];
      recorded_at: string;
    }>;
}>;

/** The endpoint was deleted before these were sent. */
export type WebhookDeliveriesCancelled = Readonly<{
  type: 'WebhookDeliveriesCancelled';
  data: Own & Readonly<{ reached: number; delivery_ids: readonly DeliveryId[]; cancelled_at: string }>;
}>;

export type WebhookOutcomesEvent = WebhookDeliveriesRecorded | WebhookDeliveriesCancelled;
