import {
  broadcasted,
  confirmed,
  created,
  creation,
  signed,
} from '../src/capabilities/payment-requests/payment-request.fixtures';
import { readFeed } from '../src/http/feeds/read-feed';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { planWrites } from '../src/platform/read-model/plan-writes';
import { type DocumentWrite, type ReadModel } from '../src/platform/read-model/read-model.port';
import { someMetadata } from '../test/support/events';
import { projections } from './index';
import { type PaymentRequestDocument } from './payment-request-document';
import {
  feedEntryId,
  paymentRequestEvents,
  paymentRequestEventView,
  paymentRequestFeeds,
} from './payment-request-events.projection';
import { paymentRequests } from './payment-requests.projection';
import { type Collection, type Document } from '../src/platform/read-model/projection';

const { connection_id, request_id } = creation;
const log = [created, signed, broadcasted, confirmed].map((event, index): RecordedEvent => ({
  ...event,
  metadata: someMetadata(),
  stream: `payment_request-${request_id}`,
  version: index + 1,
  position: BigInt(index + 1),
}));

/** The documents of some writes, with as much of a read model as a feed needs. */
class Documents {
  private readonly written = new Map<string, DocumentWrite>();

  write(write: DocumentWrite): void {
    this.written.set(`${write.collection.name}/${write.document.id}`, write);
  }
  load(refs: readonly { collection: Collection<Document>; id: string }[]) {
    return Promise.resolve(refs.map(({ collection, id }) => this.written.get(`${collection.name}/${id}`)));
  }
  get<D extends Document>({ name }: Collection<D>, id: string): D | undefined {
    return this.written.get(`${name}/${id}`)?.document as D | undefined;
  }
  feed(since: number) {
    const model = {
      get: async (collection: Collection<Document>, id: string) => this.get(collection, id),
      getAll: async (collection: Collection<Document>, ids: readonly string[]) =>
        ids.flatMap((id) => this.get(collection, id) ?? []),
    } as unknown as ReadModel;
    const place = {
      entries: paymentRequestEvents,
      feeds: paymentRequestFeeds,
      owner: connection_id,
      entryId: feedEntryId,
    };
    return readFeed(model, place, paymentRequestEventView, since, 100);
  }
}

const ORDER = ['pending', 'signed', 'broadcasted', 'confirmed'];

describe('a batch whose documents become readable one after another', () => {
  it.each([1, 2, 4])('never shows an event whose request reads as before it (%i events a batch)', async (batch) => {
    const documents = new Documents();
    for (let at = 0; at < log.length; at += batch) {
      const events = log.slice(at, at + batch);
      for (const write of await planWrites(projections, events, (refs) => documents.load(refs))) {
        documents.write(write);
        const { events: shown, newest_cursor } = await documents.feed(0);
        const status = documents.get<PaymentRequestDocument>(paymentRequests, request_id)?.status ?? '';
        const told = shown.at(-1)?.status;
        if (told !== undefined) expect(ORDER.indexOf(status)).toBeGreaterThanOrEqual(ORDER.indexOf(told));
        expect(shown).toHaveLength(newest_cursor);
      }
    }
    const { events, has_more } = await documents.feed(0);
    expect([events.map(({ status }) => status), has_more]).toEqual([ORDER, false]);
  });
});
