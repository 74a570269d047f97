// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type EndpointId, type MerchantId, type RewindId } from '../kernel/aggregates';

type Own = Readonly<{ rewind_id: RewindId; endpoint_id: EndpointId; merchant_id: MerchantId }>;

/** This range of the merchant's feed is to be sent to the endpoint again. */
export type WebhookRewindRequested = Readonly<{
  type: 'WebhookRewindRequested';
  data: Own &
    Readonly<{
      /** Exclusive. */
      from_cursor: number;
      /** Inclusive. */
      to_cursor: number;
      /** Null for all. */
      types: readonly string[] | null;
      /** The number of deliveries in the range. */
      deliveries: number;
      requested_at: string;
    }>;
}>;

export type WebhookRewindCancelled = Readonly<{
  type: 'WebhookRewindCancelled';
  data: Own & Readonly<{ cancelled_at: string }>;
}>;

export type WebhookRewindEvent = WebhookRewindRequested | WebhookRewindCancelled;
