import { notFollowed } from '../src/kernel/assert-never';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { type WebhookDeliveryEvent } from '../src/events/webhook-delivery.events';
import { type WebhookOutcomesEvent } from '../src/events/webhook-outcomes.events';
import { type WebhookRewindEvent } from '../src/events/webhook-rewind.events';
import { change, collection, create, ignored, type Projection, type Step } from '../src/platform/read-model/projection';
import { type EndpointId, type MerchantId, type RewindId } from '../src/kernel/aggregates';

/** A range of the merchant's feed that is sent to an endpoint again. */
export type WebhookRewindDocument = Readonly<{
  id: RewindId;
  endpoint_id: EndpointId;
  merchant_id: MerchantId;
  from_cursor: number;
  to_cursor: number;
  types: readonly string[] | null;
  status: 'running' | 'done' | 'cancelled';
  /** The endpoint, while it runs; null removes it from the index. */
  runs_for: string | null;
  /** How many deliveries it has to send. */
  deliveries: number;
  /** How many of them were accepted. */
  delivered: number;
  /** How many were not accepted, and are retried on the usual schedule. */
  failed: number;
  /** The cursor it has reached. */
  reached: number;
  created_at: string;
  updated_at: string;
}>;

export const webhookRewinds = collection<WebhookRewindDocument>('webhook_rewinds', {
  running: { equals: ['runs_for'], sort: 'created_at' },
});

export const webhookRewindsProjection: Projection = {
  name: 'webhook-rewinds',
  version: 2,
  collections: [webhookRewinds],
  project: (recorded) =>
    steps(recorded as RecordedEvent & (WebhookRewindEvent | WebhookOutcomesEvent | WebhookDeliveryEvent)),
};

function steps(
  event: RecordedEvent & (WebhookRewindEvent | WebhookOutcomesEvent | WebhookDeliveryEvent),
): readonly Step[] {
  switch (event.type) {
    case 'WebhookRewindRequested': {
      const { rewind_id: id, requested_at, ...asked } = event.data;
      const { endpoint_id: runs_for, from_cursor: reached } = asked;
      const fresh = { status: 'running', runs_for, delivered: 0, failed: 0, reached } as const;
      return [create(webhookRewinds, { id, ...asked, ...fresh, created_at: requested_at, updated_at: requested_at })];
    }
    case 'WebhookRewindCancelled':
      return [
        touch(event.data.rewind_id, event.data.cancelled_at, ({ status }) =>
          status === 'running' ? ended('cancelled') : {},
        ),
      ];
    case 'WebhookDeliveriesRecorded': {
      const { rewind_id, reached, outcomes, recorded_at } = event.data;
      if (rewind_id === null) return [];
      return [
        touch(rewind_id, recorded_at, (known) => ({
          // A rewind goes through the feed in order. Outcomes up to `reached` are recorded twice if the store's first
          // response was lost.
          delivered: known.delivered + outcomes.filter(({ cursor }) => cursor > known.reached).length,
          reached: Math.max(known.reached, reached),
          ...(reached >= known.to_cursor && known.status === 'running' ? ended('done') : {}),
        })),
      ];
    }
    case 'WebhookDeliveryRequeued': {
      const { kind, requeue_id, requeued_at } = event.data;
      return kind === 'rewind' ? [touch(requeue_id, requeued_at, ({ failed }) => ({ failed: failed + 1 }))] : [];
    }
    case 'WebhookDeliveriesCancelled':
    case 'WebhookDeliveryScheduled':
    case 'WebhookDeliveryOpened':
    case 'WebhookDeliveryAttempted':
    case 'WebhookDeliveryCancelled':
      return ignored;
    default:
      return notFollowed(event, ignored);
  }
}

const ended = (status: 'done' | 'cancelled') => ({ status, runs_for: null });

const touch = (
  id: string,
  at: string,
  changes: (known: WebhookRewindDocument) => Partial<WebhookRewindDocument>,
): Step => change(webhookRewinds, id, (known) => ({ ...known, ...changes(known), updated_at: at }));
