import { notFollowed } from '../src/kernel/assert-never';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { type WebhookDeliveryEvent } from '../src/events/webhook-delivery.events';
import { type WebhookOutcomesEvent } from '../src/events/webhook-outcomes.events';
import { type WebhookEndpointEvent } from '../src/events/webhook-endpoint.events';
import {
  change,
  collection,
  create,
  type Document,
  ignored,
  type Projection,
  type Step,
} from '../src/platform/read-model/projection';
import { type DeliveryId, type EndpointId, type MerchantId } from '../src/kernel/aggregates';

/** `since`: the time by the same clock as `due_at` from which it waits: if that is to come, the clock was set back. */
type Waiting = Readonly<{ delivery_id: DeliveryId; sequence: number; due_at: string; since: string }>;

/** What one endpoint has yet to receive about a payment request or connection, in order. Only the first may be sent. */
export type WebhookLaneDocument = Readonly<{
  id: string;
  endpoint_id: EndpointId;
  waiting: readonly Waiting[];
  /** The endpoint, while something waits; null removes the lane from the index. */
  waits_for: string | null;
  /** When the first of them is due. */
  due_at: string | null;
}>;

/** What is open for one endpoint: deliveries with their own stream, and how the endpoint has answered lately. */
export type WebhookQueueDocument = Readonly<{
  id: EndpointId;
  merchant_id: MerchantId;
  active: boolean;
  deleted: boolean;
  /** Deliveries that are neither done nor given up. */
  open: number;
  /** True while there is something to send and somewhere to send it to; null removes it from the index. */
  busy: true | null;
  /** True while deliveries to a deleted endpoint are open; null removes it from the index. */
  abandoned: true | null;
  /** The first failure after the last success; null while it works. */
  failing_since: string | null;
  last_failed_at: string | null;
  /** Incremented with every change: a reader that has seen this number has seen the current lanes. */
  changes: number;
}>;

export const webhookLanes = collection<WebhookLaneDocument>('webhook_lanes', {
  due: { equals: ['waits_for'], sort: 'due_at' },
});

export const webhookQueues = collection<WebhookQueueDocument>(
  'webhook_queues',
  { busy: { equals: ['busy'] }, abandoned: { equals: ['abandoned'] }, by_active: { equals: ['active'] } },
  { writtenLast: true },
);

export const webhookQueuesProjection: Projection = {
  name: 'webhook-queues',
  version: 4,
  collections: [webhookLanes, webhookQueues],
  project: (recorded) => steps(recorded as RecordedEvent & QueueEvent),
};

type QueueEvent = WebhookDeliveryEvent | WebhookEndpointEvent | WebhookOutcomesEvent;

function steps(event: RecordedEvent & QueueEvent): readonly Step[] {
  switch (event.type) {
    case 'WebhookEndpointCreated': {
      const { endpoint_id: id, merchant_id } = event.data;
      const idle = { open: 0, busy: null, abandoned: null, failing_since: null, last_failed_at: null } as const;
      return [create(webhookQueues, { id, merchant_id, active: false, deleted: false, ...idle, changes: 0 })];
    }
    case 'WebhookEndpointVerified':
    case 'WebhookEndpointEnabled':
      // A fresh start: earlier failures no longer count.
      return [queue(event, () => ({ active: true, ...NOT_FAILING }))];
    case 'WebhookEndpointChanged':
      return event.data.needs_verification ? [queue(event, () => ({ active: false }))] : [];
    case 'WebhookEndpointDisabled':
      return [queue(event, () => ({ active: false }))];
    case 'WebhookEndpointDeleted':
      return [queue(event, () => ({ active: false, deleted: true }))];
    case 'WebhookDeliveriesRecorded':
      return event.data.outcomes.length === 0 ? [] : [queue(event, () => NOT_FAILING)];
    case 'WebhookDeliveryScheduled':
    case 'WebhookDeliveryOpened': {
      const { delivery_id, sequence, due_at } = event.data;
      return [
        lane(event, (waiting) => inOrder([...waiting, { delivery_id, sequence, due_at, since: due_at }])),
        queue(event, ({ open }) => ({ open: open + 1 })),
      ];
    }
    case 'WebhookDeliveryRequeued': {
      const { delivery_id, sequence, due_at, reopened } = event.data;
      return [
        lane(event, (waiting) =>
          inOrder([...others(waiting, delivery_id), { delivery_id, sequence, due_at, since: due_at }]),
        ),
        queue(event, ({ open }) => ({ open: open + (reopened ? 1 : 0) })),
      ];
    }
    case 'WebhookDeliveryAttempted': {
      const { delivery_id, outcome, next_due_at, sent_at } = event.data;
      const health = (known: WebhookQueueDocument): Partial<WebhookQueueDocument> =>
        outcome === 'succeeded'
          ? NOT_FAILING
          : { failing_since: known.failing_since ?? sent_at, last_failed_at: sent_at };
      return [
        lane(event, (waiting) =>
          next_due_at === null
            ? others(waiting, delivery_id)
            : waiting.map((one) =>
                one.delivery_id === delivery_id ? { ...one, due_at: next_due_at, since: sent_at } : one,
              ),
        ),
        queue(event, (known) => ({ ...health(known), open: known.open - (outcome === 'retry' ? 0 : 1) })),
      ];
    }
    case 'WebhookDeliveryCancelled':
      return [
        lane(event, (waiting) => others(waiting, event.data.delivery_id)),
        queue(event, ({ open }) => ({ open: open - 1 })),
      ];
    case 'WebhookEndpointSecretRotated':
    case 'WebhookEndpointRecoveryRequested':
    case 'WebhookDeliveriesCancelled':
      return ignored;
    default:
      return notFollowed(event, ignored);
  }
}

const NOT_FAILING = { failing_since: null, last_failed_at: null } as const;

const inOrder = (waiting: readonly Waiting[]): readonly Waiting[] =>
  [...waiting].sort((one, other) => one.sequence - other.sequence);

const others = (waiting: readonly Waiting[], id: string): readonly Waiting[] =>
  waiting.filter(({ delivery_id }) => delivery_id !== id);

const lane = (
  { data: { lane: id, endpoint_id } }: WebhookDeliveryEvent,
  next: (waiting: readonly Waiting[]) => readonly Waiting[],
): Step => ({
  collection: webhookLanes,
  id,
  next: (current: Document | undefined) => {
    const waiting = next((current as WebhookLaneDocument | undefined)?.waiting ?? []);
    const [first] = waiting;
    const waits_for = first === undefined ? null : endpoint_id;
    const document: WebhookLaneDocument = { id, endpoint_id, waiting, waits_for, due_at: first?.due_at ?? null };
    return { document };
  },
});

const queue = ({ data }: QueueEvent, changes: (known: WebhookQueueDocument) => Partial<WebhookQueueDocument>): Step =>
  change(webhookQueues, data.endpoint_id, (known) => {
    const next: WebhookQueueDocument = { ...known, ...changes(known), changes: known.changes + 1 };
    const isOpen = next.open > 0;
    return { ...next, busy: (next.active && isOpen) || null, abandoned: (next.deleted && isOpen) || null };
  });
