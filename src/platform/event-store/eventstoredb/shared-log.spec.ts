import { randomUUID } from 'node:crypto';
import { binaryEvent, EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { appendSurely, endOfLog, idsOf, readOwn } from '../../../../test/contract/event-store/steps';
import { type Engine, openBreakableEngine } from '../../../../test/support/eventstoredb/harness';
import { aNewEvent, aStream, newEvents, someMetadata } from '../../../../test/support/events';
import { follow } from '../../../../test/support/follow';
import { type EventStore, LOG_START, type Position, type RecordedEvent } from '../event-store.port';
import { openEventStoreDb } from './eventstoredb-store';

describe('a log that is shared with others', () => {
  let engine: Engine;
  let store: EventStore;
  let other: EventStoreDBClient;
  beforeAll(async () => {
    engine = await openBreakableEngine();
    store = await openEventStoreDb(engine.url);
    other = EventStoreDBClient.connectionString(engine.directUrl);
  });
  afterAll(async () => {
    await store.close();
    await other.dispose();
    await engine.stop();
  });

  const json = (metadata?: Record<string, unknown>, type = 'Foreign') => jsonEvent({ type, data: {}, ...{ metadata } });
  const writeForeign = async (): Promise<void> => {
    const id = randomUUID();
    await other.appendToStream(`order-${id}`, json());
    await other.appendToStream(`order-${id}`, json({ event_id: 'x' }));
    await other.appendToStream(`order-${id}`, json({ event_id: 7 }));
    await other.appendToStream(`order-${id}`, binaryEvent({ type: 'Foreign', data: Buffer.from('{}') }));
    const ourMetadata = Buffer.from(JSON.stringify(someMetadata()));
    await other.appendToStream(
      `order-${id}`,
      binaryEvent({ type: 'Foreign', data: ourMetadata, metadata: ourMetadata }),
    );
    await other.appendToStream(`order-${id}`, jsonEvent({ type: 'Foreign', data: 'text', metadata: someMetadata() }));
    await other.appendToStream(`Order-${id}`, json(someMetadata()));
    await other.appendToStream(`order${id.replaceAll('-', '')}`, json(someMetadata()));
    await other.setStreamMetadata(`order-${id}`, { maxCount: 1000 });
  };

  /** Not to the end of the log: others may write faster than small pages are read. */
  const readBetween = async (start: Position, end: Position, limit: number): Promise<RecordedEvent[]> => {
    const found: RecordedEvent[] = [];
    while ((found.at(-1)?.position ?? start) < end) {
      found.push(...(await store.readAll(found.at(-1)?.position ?? start, limit)));
    }
    return found;
  };

  it('shows only our events, in pages and in subscriptions', async () => {
    const start = await endOfLog(store);
    const streams = [aStream(), aStream(), aStream()];
    const expected: string[] = [];
    for (const stream of streams) {
      await writeForeign();
      const events = newEvents(2);
      await store.append(stream, 0, events);
      expected.push(...idsOf(events));
      await writeForeign();
    }
    const end = await endOfLog(store);
    for (const limit of [2, 7, 100]) {
      const found = await readBetween(start, end, limit);
      expect(idsOf(found.filter(({ stream }) => streams.includes(stream)))).toEqual(expected);
      expect(found.filter(({ type }) => type === 'Foreign' || type.startsWith('$'))).toEqual([]);
    }
    const follower = follow(store, start);
    await follower.until(() => follower.caughtUp.length > 0);
    await follower.stop();
    expect(idsOf(follower.seen.filter(({ stream }) => streams.includes(stream)))).toEqual(expected);
    expect(follower.seen.filter(({ type }) => type === 'Foreign' || type.startsWith('$'))).toEqual([]);
  });

  it('reads past more foreign events than a page holds', async () => {
    const start = await endOfLog(store);
    const foreign = Array.from({ length: 700 }, () => json());
    await other.appendToStream(`order-${randomUUID()}`, foreign);
    const [stream, event] = [aStream(), aNewEvent()];
    await store.append(stream, 0, [event]);
    await expect(store.readAll(start, 1)).resolves.toHaveLength(1);
    await expect(readOwn(store, start, [stream]).then(idsOf)).resolves.toEqual([event.metadata.event_id]);
  });

  it('fills the pages of our stream past what others wrote into it', async () => {
    const stream = aStream();
    const events = newEvents(6);
    await store.append(stream, 0, events.slice(0, 2));
    await other.appendToStream(stream, [json(), json(), json()]);
    await store.append(stream, 5, events.slice(2));
    const first = await store.readStream(stream, 0, 4);
    expect(idsOf(first)).toEqual(idsOf(events.slice(0, 4)));
    expect(idsOf(await store.readStream(stream, first.at(-1)?.version, 4))).toEqual(idsOf(events.slice(4)));
  });

  it('resumes a broken subscription after a foreign event', async () => {
    const stream = aStream();
    const follower = follow(store, await endOfLog(store), { only: (event) => event.stream === stream });
    await follower.until(() => follower.caughtUp.length === 1);
    await store.append(stream, 0, newEvents(1));
    await writeForeign();
    await follower.until(() => follower.seen.length === 1);
    engine.proxy.cut();
    await follower.until(() => follower.caughtUp.length >= 2);
    await appendSurely(store, stream, 1, newEvents(1));
    await follower.until(() => follower.seen.length === 2);
    await follower.stop();
    expect(follower.seen).toEqual(await store.readStream(stream));
  });

  it('reports a head after our events if others wrote last, and reading can continue from there', async () => {
    const end = await endOfLog(store);
    await writeForeign();
    const head = await store.head();
    expect(head).toBeGreaterThan(end);
    const stream = aStream();
    await store.append(stream, 0, newEvents(2));
    await expect(readOwn(store, head, [stream])).resolves.toHaveLength(2);
  });

  it('begins with our own first event, whatever the engine wrote before', async () => {
    await store.append(aStream(), 0, newEvents(1));
    const [first] = await store.readAll(LOG_START, 1);
    expect(first?.metadata.event_id).toMatch(/^evt_/);
  });
});
