import { notFollowed } from '../src/kernel/assert-never';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import {
  type WebhookDeliveryAttempted,
  type WebhookDeliveryEvent,
  type WebhookDeliveryOpened,
} from '../src/events/webhook-delivery.events';
import {
  type DeliveryOutcome,
  type WebhookDeliveriesRecorded,
  type WebhookOutcomesEvent,
} from '../src/events/webhook-outcomes.events';
import { change, collection, ignored, type Projection, type Step } from '../src/platform/read-model/projection';
import { type DeliveryId, type EndpointId, type MerchantId } from '../src/kernel/aggregates';

export type DeliveryStatus = 'pending' | 'succeeded' | 'failed' | 'cancelled';

export type AttemptDocument = Omit<
  WebhookDeliveryAttempted['data'],
  'delivery_id' | 'endpoint_id' | 'merchant_id' | 'lane' | 'next_due_at'
>;

/** A delivery as merchants see it: what happened, never what was sent. */
export type WebhookDeliveryDocument = Readonly<{
  id: DeliveryId;
  endpoint_id: EndpointId;
  merchant_id: MerchantId;
  event_id: string;
  event_type: string;
  subject_id: string;
  /** The version of the event in the subject's stream. */
  sequence: number;
  /** In the merchant's feed; null where old logs do not say. */
  cursor: number | null;
  /** It has its own stream. Otherwise it is derived from the event and the endpoints at that time. */
  opened: boolean;
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
  by_subject: { equals: ['merchant_id', 'subject_id'], sort: 'created_at' },
});

const ATTEMPTS_SHOWN = 30;

export const webhookDeliveriesProjection: Projection = {
  name: 'webhook-deliveries',
  version: 2,
  collections: [webhookDeliveries],
  project: (recorded) => steps(recorded as RecordedEvent & (WebhookDeliveryEvent | WebhookOutcomesEvent)),
};

type Facts = Pick<
  WebhookDeliveryDocument,
  'endpoint_id' | 'merchant_id' | 'event_id' | 'event_type' | 'subject_id' | 'sequence' | 'cursor'
>;

/** Before anything has happened to it. */
export function newDelivery(id: DeliveryId, facts: Facts, at: string): WebhookDeliveryDocument {
  const { endpoint_id, merchant_id, event_id, event_type, subject_id, sequence, cursor } = facts;
  return {
    id,
    endpoint_id,
    merchant_id,
    event_id,
    event_type,
    subject_id,
    sequence,
    cursor,
    opened: false,
    status: 'pending',
    next_attempt_at: at,
    attempt_count: 0,
    attempts: [],
    created_at: at,
    updated_at: at,
    version: 1,
  };
}

function steps(event: RecordedEvent & (WebhookDeliveryEvent | WebhookOutcomesEvent)): readonly Step[] {
  switch (event.type) {
    case 'WebhookDeliveryScheduled':
      return [open({ ...event.data, cursor: null }, event.data.scheduled_at)];
    case 'WebhookDeliveryOpened':
      return [open(event.data, event.data.opened_at)];
    case 'WebhookDeliveryAttempted': {
      const { delivery_id: _d, endpoint_id: _e, merchant_id: _m, lane: _l, next_due_at, ...attempt } = event.data;
      const { outcome, sent_at } = attempt;
      return [
        touch(event.data.delivery_id, sent_at, (known) => ({
          status: outcome === 'retry' ? 'pending' : outcome,
          next_attempt_at: next_due_at,
          ...attemptedOnceMore(known, attempt),
        })),
      ];
    }
    case 'WebhookDeliveryRequeued': {
      const { delivery_id, due_at, requeued_at } = event.data;
      return [touch(delivery_id, requeued_at, () => ({ status: 'pending', next_attempt_at: due_at }))];
    }
    case 'WebhookDeliveryCancelled':
      return [cancelled(event.data.delivery_id, event.data.cancelled_at)];
    case 'WebhookDeliveriesRecorded':
      return event.data.outcomes.map((outcome) => recorded(event.data, outcome));
    case 'WebhookDeliveriesCancelled':
      return event.data.delivery_ids.map((id) => cancelled(id, event.data.cancelled_at));
    default:
      return notFollowed(event, ignored);
  }
}

type Opening = Omit<WebhookDeliveryOpened['data'], 'attempts' | 'due_at' | 'opened_at' | 'cursor' | 'lane'> &
  Readonly<{ cursor: number | null }>;

/** The delivery exists already, unless this is read from its stream alone. */
const open = (facts: Opening, at: string): Step => ({
  collection: webhookDeliveries,
  id: facts.delivery_id,
  next: (current) => {
    const known = (current as WebhookDeliveryDocument | undefined) ?? newDelivery(facts.delivery_id, facts, at);
    const next_attempt_at = known.status === 'pending' ? at : known.next_attempt_at;
    return { document: { ...known, opened: true, next_attempt_at, updated_at: at } };
  },
});

/**
 * A success without a stream. A pending delivery with a stream stays pending, but a failed one becomes succeeded. What
 * is recorded twice, because the store's first response was lost, is shown once.
 */
const recorded = (
  { endpoint_id, merchant_id, rewind_id }: WebhookDeliveriesRecorded['data'],
  outcome: DeliveryOutcome,
): Step => ({
  collection: webhookDeliveries,
  id: outcome.delivery_id,
  next: (current) => {
    const { sent_at, status_code, duration_ms } = outcome;
    const facts = { ...outcome, endpoint_id, merchant_id };
    const known = (current as WebhookDeliveryDocument | undefined) ?? newDelivery(outcome.delivery_id, facts, sent_at);
    const kind = rewind_id === null ? 'initial' : 'rewind';
    if (known.attempts.some((one) => one.kind === kind && one.sent_at === sent_at)) return { document: known };
    const attempt = { number: 1, kind, sent_at, status_code, duration_ms, error_kind: null } as const;
    const isDone = known.status === 'failed' || (known.status === 'pending' && !known.opened);
    const changes = {
      ...(isDone ? { status: 'succeeded', next_attempt_at: null } : {}),
      ...attemptedOnceMore(known, { ...attempt, outcome: 'succeeded' }),
    } as const;
    return { document: { ...known, ...changes, updated_at: sent_at, version: known.version + 1 } };
  },
});

function attemptedOnceMore({ attempt_count, attempts }: WebhookDeliveryDocument, attempt: AttemptDocument) {
  const number = attempt_count + 1;
  return { attempt_count: number, attempts: [...attempts, { ...attempt, number }].slice(-ATTEMPTS_SHOWN) };
}

const cancelled = (id: string, at: string): Step =>
  touch(id, at, ({ status }) => (status === 'pending' ? { status: 'cancelled', next_attempt_at: null } : {}));

const touch = (
  id: string,
  at: string,
  changes: (known: WebhookDeliveryDocument) => Partial<WebhookDeliveryDocument>,
): Step =>
  change(webhookDeliveries, id, (known) => ({
    ...known,
    ...changes(known),
    updated_at: at,
    version: known.version + 1,
  }));
