import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import {
  type WebhookDeliveryAttempted,
  type WebhookDeliveryEvent,
} from '../src/capabilities/webhooks/webhook-delivery.events';
import { change, collection, create, type Projection, type Step } from './projection';

export type DeliveryStatus = 'pending' | 'succeeded' | 'failed' | 'cancelled';

export type AttemptDocument = Omit<
  WebhookDeliveryAttempted['data'],
  'delivery_id' | 'endpoint_id' | 'merchant_id' | 'lane' | 'next_due_at'
>;

/** A delivery as merchants see it: what happened, never what was said. */
export type WebhookDeliveryDocument = Readonly<{
  id: string;
  endpoint_id: string;
  merchant_id: string;
  event_id: string;
  event_type: string;
  subject_id: string;
  status: DeliveryStatus;
  next_attempt_at: string | null;
  attempt_count: number;
  /** The latest ones, oldest first. */
  attempts: readonly AttemptDocument[];
  created_at: string;
  updated_at: string;
  version: number;
}>;

export const webhookDeliveries = collection<WebhookDeliveryDocument>('webhook_deliveries', {
  by_merchant: { equals: ['merchant_id'], sort: 'created_at' },
  by_merchant_and_status: { equals: ['merchant_id', 'status'], sort: 'created_at' },
  by_endpoint: { equals: ['merchant_id', 'endpoint_id'], sort: 'created_at' },
  by_endpoint_and_status: { equals: ['merchant_id', 'endpoint_id', 'status'], sort: 'created_at' },
});

const ATTEMPTS_SHOWN = 30;

export const webhookDeliveriesProjection: Projection = {
  name: 'webhook-deliveries',
  version: 1,
  collections: [webhookDeliveries],
  project: (recorded) => steps(recorded as RecordedEvent & WebhookDeliveryEvent),
};

function steps(event: RecordedEvent & WebhookDeliveryEvent): readonly Step[] {
  switch (event.type) {
    case 'WebhookDeliveryScheduled': {
      const { delivery_id: id, endpoint_id, merchant_id, event_id, event_type, subject_id } = event.data;
      const { due_at, scheduled_at: at } = event.data;
      const document: WebhookDeliveryDocument = {
        id,
        endpoint_id,
        merchant_id,
        event_id,
        event_type,
        subject_id,
        status: 'pending',
        next_attempt_at: due_at,
        attempt_count: 0,
        attempts: [],
        created_at: at,
        updated_at: at,
        version: event.version,
      };
      return [create(webhookDeliveries, document)];
    }
    case 'WebhookDeliveryAttempted': {
      const { delivery_id: _d, endpoint_id: _e, merchant_id: _m, lane: _l, next_due_at, ...attempt } = event.data;
      const { outcome, number, sent_at } = attempt;
      return [
        touch(event, sent_at, ({ attempts }) => ({
          status: outcome === 'retry' ? 'pending' : outcome,
          next_attempt_at: next_due_at,
          attempt_count: number,
          attempts: [...attempts, attempt].slice(-ATTEMPTS_SHOWN),
        })),
      ];
    }
    case 'WebhookDeliveryRequeued': {
      const { due_at, requeued_at } = event.data;
      return [touch(event, requeued_at, () => ({ status: 'pending', next_attempt_at: due_at }))];
    }
    case 'WebhookDeliveryCancelled':
      return [touch(event, event.data.cancelled_at, () => ({ status: 'cancelled', next_attempt_at: null }))];
    default:
      return [];
  }
}

const touch = (
  { data, version }: RecordedEvent & WebhookDeliveryEvent,
  at: string,
  changes: (known: WebhookDeliveryDocument) => Partial<WebhookDeliveryDocument>,
): Step =>
  change(webhookDeliveries, data.delivery_id, (known) => ({ ...known, ...changes(known), updated_at: at, version }));
