import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { type WebhookEndpointEvent } from '../src/capabilities/webhooks/webhook-endpoint.events';
import { paymentRequests } from './payment-requests.projection';
import { type PaymentRequestDocument } from './payment-request-document';
import { collection, type Document, type Lookup, type Projection, type Step } from './projection';
import { webhookTypeOf } from './webhook-types';

/** One thing that merchants are told of. What is told is rebuilt from the stream, as it was after this version. */
export type MerchantFeedEntry = Readonly<{
  id: string;
  merchant_id: string;
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

/** An endpoint as the feed needs it: who receives what follows from this and the event alone. */
export type FeedEndpoint = Readonly<{ id: string; active: boolean; events: readonly string[] | null }>;

/** How much each merchant was told of, which numbers the next entry, and its endpoints as they are after the last one. */
export type MerchantFeed = Readonly<{ id: string; length: number; endpoints: readonly FeedEndpoint[] }>;

export const merchantFeedEntries = collection<MerchantFeedEntry>('merchant_events', {
  by_merchant: { equals: ['merchant_id'], sort: 'cursor' },
});
export const merchantFeeds = collection<MerchantFeed>('merchant_event_feeds');

export const merchantFeedEntryId = (merchantId: string, cursor: number): string => `${merchantId}:${cursor}`;

export const merchantFeedProjection: Projection = {
  name: 'merchant-feed',
  version: 1,
  collections: [merchantFeedEntries, merchantFeeds],
  project: (event) => [...told(event), ...ofEndpoint(event as RecordedEvent & WebhookEndpointEvent)],
  lookups: (event) => toldOfRequest(event),
};

type Names = Readonly<{ merchant_id?: string; request_id: string }>;

function told(event: RecordedEvent): readonly Step[] {
  const type = webhookTypeOf(event.type);
  const { merchant_id: merchantId } = event.data as Names;
  return type === undefined || merchantId === undefined ? [] : [numbered(event, type, merchantId)];
}

/** Later events of a payment request do not say whose it is. */
function toldOfRequest(event: RecordedEvent): readonly Lookup[] {
  const type = webhookTypeOf(event.type);
  const { merchant_id, request_id: id } = event.data as Names;
  if (type === undefined || merchant_id !== undefined) return [];
  const then = (found: Document): readonly Step[] => [
    numbered(event, type, (found as PaymentRequestDocument).merchant_id),
  ];
  return [{ collection: paymentRequests, id, then }];
}

const numbered = ({ metadata, stream, version }: RecordedEvent, type: string, merchantId: string): Step =>
  feedStep(merchantId, (feed) => {
    const cursor = feed.length + 1;
    const entry: MerchantFeedEntry = {
      id: merchantFeedEntryId(merchantId, cursor),
      merchant_id: merchantId,
      cursor,
      type,
      event_id: metadata.event_id,
      stream,
      version,
      occurred_at: metadata.occurred_at,
      receivers: feed.endpoints.filter((endpoint) => receives(endpoint, type)).map(({ id }) => id),
    };
    return { document: { ...feed, length: cursor }, also: [{ collection: merchantFeedEntries, document: entry }] };
  });

const receives = ({ active, events }: FeedEndpoint, type: string): boolean =>
  active && (events === null || events.includes(type));

function ofEndpoint(event: RecordedEvent & WebhookEndpointEvent): readonly Step[] {
  switch (event.type) {
    case 'WebhookEndpointCreated': {
      const { endpoint_id: id, merchant_id, events } = event.data;
      const endpoint: FeedEndpoint = { id, active: false, events };
      return [feedStep(merchant_id, (feed) => ({ document: { ...feed, endpoints: [...feed.endpoints, endpoint] } }))];
    }
    case 'WebhookEndpointVerified':
    case 'WebhookEndpointEnabled':
      return [changed(event, { active: true })];
    case 'WebhookEndpointChanged': {
      const { events, needs_verification } = event.data;
      return [changed(event, { events, ...(needs_verification ? { active: false } : {}) })];
    }
    case 'WebhookEndpointDisabled':
      return [changed(event, { active: false })];
    case 'WebhookEndpointDeleted': {
      const { endpoint_id, merchant_id } = event.data;
      const others = ({ endpoints }: MerchantFeed) => endpoints.filter(({ id }) => id !== endpoint_id);
      return [feedStep(merchant_id, (feed) => ({ document: { ...feed, endpoints: others(feed) } }))];
    }
    default:
      return [];
  }
}

const changed = ({ data }: WebhookEndpointEvent, changes: Partial<FeedEndpoint>): Step =>
  feedStep(data.merchant_id, (feed) => ({
    document: {
      ...feed,
      endpoints: feed.endpoints.map((one) => (one.id === data.endpoint_id ? { ...one, ...changes } : one)),
    },
  }));

const feedStep = (merchantId: string, next: (feed: MerchantFeed) => ReturnType<Step['next']>): Step => ({
  collection: merchantFeeds,
  id: merchantId,
  next: (current) => next((current as MerchantFeed | undefined) ?? { id: merchantId, length: 0, endpoints: [] }),
});
