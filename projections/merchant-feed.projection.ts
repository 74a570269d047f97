import { notFollowed } from '../src/kernel/assert-never';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { type WebhookEndpointEvent } from '../src/events/webhook-endpoint.events';
import { type WebhookOutcomesEvent } from '../src/events/webhook-outcomes.events';
import { paymentRequests } from './payment-requests.projection';
import { type PaymentRequestDocument, requestPlace } from './payment-request-document';
import {
  collection,
  type Document,
  ignored,
  type Lookup,
  type Projection,
  type Step,
} from '../src/platform/read-model/projection';
import { newDelivery, webhookDeliveries } from './webhook-deliveries.projection';
import { webhookTypeOf } from './webhook-types';
import { type DeliveryId, type EndpointId, idFor, type MerchantId } from '../src/kernel/aggregates';

/** One event that merchants are notified of. What they receive is rebuilt from the stream, as of this version. */
export type MerchantFeedEntry = Readonly<{
  id: string;
  merchant_id: MerchantId;
  /** 1, 2, 3 … within the merchant, in the order of the log: the same after any rebuild. */
  cursor: number;
  type: string;
  event_id: string;
  stream: string;
  version: number;
  occurred_at: string;
  /** The endpoints that were active when it happened, and wanted it. */
  receivers: readonly string[];
}>;

/** An endpoint as the feed needs it: the receivers follow from this and the event alone. */
export type FeedEndpoint = Readonly<{
  id: EndpointId;
  active: boolean;
  events: readonly string[] | null;
  /** Up to this cursor every delivery is recorded, has its own stream, or was never this endpoint's. */
  reached: number;
  /** The version of the stream in which its outcomes are recorded. */
  outcomes: number;
  /** Set when it is deleted: deliveries up to this cursor may still have to be cancelled. */
  ends: number | null;
}>;

/** How many entries each merchant has, which numbers the next one, and its endpoints as they are after the last one. */
export type MerchantFeed = Readonly<{
  id: MerchantId;
  length: number;
  endpoints: readonly FeedEndpoint[];
  /** True while one of them ends; null removes it from the index. */
  ending: true | null;
}>;

export const merchantFeedEntries = collection<MerchantFeedEntry>('merchant_events');
export const merchantFeeds = collection<MerchantFeed>(
  'merchant_event_feeds',
  { ending: { equals: ['ending'] } },
  { writtenLast: true },
);

/** The same endpoint and event always give the same delivery. */
export const deliveryIdOf = (endpointId: EndpointId, eventId: string): DeliveryId =>
  idFor.delivery(endpointId, eventId);

export const merchantFeedEntryId = (merchantId: MerchantId, cursor: number): string => `${merchantId}:${cursor}`;

export const merchantFeedProjection: Projection = {
  name: 'merchant-feed',
  version: 2,
  collections: [merchantFeedEntries, merchantFeeds],
  project: (event) => [
    ...stepsFor(event),
    ...ofEndpoint(event as RecordedEvent & (WebhookEndpointEvent | WebhookOutcomesEvent)),
  ],
  lookups: (event) => lookupsFor(event),
};

type OwnerFields = Readonly<{ merchant_id?: MerchantId }>;

function stepsFor(event: RecordedEvent): readonly Step[] {
  const type = webhookTypeOf(event);
  const { merchant_id: merchantId } = event.data as OwnerFields;
  return type === undefined || merchantId === undefined ? [] : [numbered(event, type, merchantId)];
}

/** Later events of a payment request do not name the merchant. */
function lookupsFor(event: RecordedEvent): readonly Lookup[] {
  const type = webhookTypeOf(event);
  const { merchant_id } = event.data as OwnerFields;
  if (type === undefined || merchant_id !== undefined) return [];
  const then = (found: Document): readonly Step[] => [
    numbered(event, type, (found as PaymentRequestDocument).merchant_id),
  ];
  return [{ collection: paymentRequests, id: requestPlace(event).id, then }];
}

const numbered = (event: RecordedEvent, type: string, merchantId: MerchantId): Step =>
  feedStep(merchantId, (feed) => {
    const cursor = feed.length + 1;
    const receivers = feed.endpoints.filter((endpoint) => receives(endpoint, type)).map(({ id }) => id);
    const entry = entryOf(event, { merchant_id: merchantId, cursor, type, receivers });
    const document = { ...feed, length: cursor };
    const deliveries = receivers.map((id) => ({
      collection: webhookDeliveries,
      document: deliveryOf(entry, id),
      isNew: true,
    }));
    return { document, also: [{ collection: merchantFeedEntries, document: entry, isNew: true }, ...deliveries] };
  });

const entryOf = (
  { metadata, stream, version }: RecordedEvent,
  numbering: Pick<MerchantFeedEntry, 'merchant_id' | 'cursor' | 'type' | 'receivers'>,
): MerchantFeedEntry => ({
  id: merchantFeedEntryId(numbering.merchant_id, numbering.cursor),
  ...numbering,
  event_id: metadata.event_id,
  stream,
  version,
  occurred_at: metadata.occurred_at,
});

function deliveryOf(entry: MerchantFeedEntry, endpoint_id: EndpointId) {
  const { merchant_id, event_id, type: event_type, version: sequence, cursor, occurred_at } = entry;
  const facts = { endpoint_id, merchant_id, event_id, event_type, subject_id: subjectOf(entry), sequence, cursor };
  return newDelivery(deliveryIdOf(endpoint_id, event_id), facts, occurred_at);
}

/** The payment request, agent payment, connection, recipient or merchant that an entry is about. */
export const subjectOf = ({ stream }: Pick<MerchantFeedEntry, 'stream'>): string =>
  stream.slice(stream.indexOf('-') + 1);

const receives = ({ active, events }: FeedEndpoint, type: string): boolean =>
  active && (events === null || events.includes(type));

function ofEndpoint(event: RecordedEvent & (WebhookEndpointEvent | WebhookOutcomesEvent)): readonly Step[] {
  switch (event.type) {
    case 'WebhookEndpointCreated': {
      const { endpoint_id: id, merchant_id, events } = event.data;
      const unused = { id, active: false, events, outcomes: 0, ends: null };
      return [endpoints(merchant_id, (feed) => [...feed.endpoints, { ...unused, reached: feed.length }])];
    }
    case 'WebhookEndpointVerified':
    case 'WebhookEndpointEnabled':
      return [changed(event, () => ({ active: true }))];
    case 'WebhookEndpointChanged': {
      const { events, needs_verification } = event.data;
      return [changed(event, () => ({ events, ...(needs_verification ? { active: false } : {}) }))];
    }
    case 'WebhookEndpointDisabled':
      return [changed(event, () => ({ active: false }))];
    case 'WebhookEndpointDeleted':
      return [changed(event, (_, { length }) => ({ active: false, ends: length }))];
    case 'WebhookDeliveriesRecorded': {
      const { rewind_id, reached } = event.data;
      const outcomes = event.version;
      return [
        changed(event, (known) => ({
          outcomes,
          ...(rewind_id === null ? { reached: Math.max(known.reached, reached) } : {}),
        })),
      ];
    }
    case 'WebhookDeliveriesCancelled': {
      const { reached } = event.data;
      return [changed(event, (known) => ({ outcomes: event.version, reached: Math.max(known.reached, reached) }))];
    }
    case 'WebhookEndpointSecretRotated':
    case 'WebhookEndpointRecoveryRequested':
      return ignored;
    default:
      return notFollowed(event, ignored);
  }
}

type Changes = (known: FeedEndpoint, feed: MerchantFeed) => Partial<FeedEndpoint>;

const changed = ({ data }: WebhookEndpointEvent | WebhookOutcomesEvent, changes: Changes): Step =>
  endpoints(data.merchant_id, (feed) =>
    feed.endpoints
      .map((one) => (one.id === data.endpoint_id ? { ...one, ...changes(one, feed) } : one))
      // An endpoint that has reached its end is no longer needed.
      .filter(({ ends, reached }) => ends === null || reached < ends),
  );

const endpoints = (merchantId: MerchantId, next: (feed: MerchantFeed) => readonly FeedEndpoint[]): Step =>
  feedStep(merchantId, (feed) => {
    const found = next(feed);
    const ending = found.some(({ ends }) => ends !== null) || null;
    return { document: { ...feed, endpoints: found, ending } };
  });

const feedStep = (merchantId: MerchantId, next: (feed: MerchantFeed) => ReturnType<Step['next']>): Step => ({
  collection: merchantFeeds,
  id: merchantId,
  next: (current) => next((current as MerchantFeed | undefined) ?? emptyFeed(merchantId)),
});

const emptyFeed = (id: MerchantId): MerchantFeed => ({ id, length: 0, endpoints: [], ending: null });
