import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { startEventStoreDb, type TestEventStoreDb } from '../../../../test/support/eventstoredb/server';
import { aNewEvent, aStream, someMetadata } from '../../../../test/support/events';
import { eventually } from '../../../../test/support/eventually';
import { ReactorFeed } from '../../reacting/reactor-feed';
import { type EventStore, LOG_START, type Position } from '../event-store.port';
import { AnotherEventAtPosition, PositionBeyondLogEnd } from './errors';
import { openEventStoreDb } from './eventstoredb-store';

describe('reactors at different positions of a log on EventStoreDB', () => {
  let server: TestEventStoreDb;
  let store: EventStore;
  let feed: ReactorFeed;
  let seen: string[];
  let warned: Record<string, unknown>[];
  beforeEach(async () => {
    server = await startEventStoreDb();
    store = await openEventStoreDb(server.url);
    [seen, warned] = [[], []];
  });
  afterEach(async () => {
    await feed.stop();
    await store.close();
    await server.stop();
  });

  /** `slow` is at the beginning, `fast` somewhere else. */
  const start = async (fast: Position): Promise<void> => {
    const kept = new Map([['fast', fast]]);
    const bookmarks = {
      bookmark: async (name: string) => kept.get(name) ?? LOG_START,
      setBookmark: async (name: string, position: Position) => void kept.set(name, position),
    };
    const reactors = ['slow', 'fast'].map((name) => ({
      name,
      types: ['Red'],
      react: async ({ data }: { data: unknown }) => void seen.push(`${name} ${(data as { n: number }).n}`),
    }));
    feed = new ReactorFeed(store, bookmarks, reactors, { warn: (fields) => void warned.push({ ...fields }) });
    await feed.start();
  };
  const write = (n: number) => store.append(aStream(), 0, [aNewEvent('Red', { n })]);
  const becomes = (what: string, is: () => boolean): Promise<unknown> => eventually(async () => is(), Boolean, what);

  it('each continue from their own position', async () => {
    await write(1);
    await start(await store.head());
    await write(2);
    await becomes('all reactions', () => seen.length === 3);
    expect(seen.sort()).toEqual(['fast 2', 'slow 1', 'slow 2']);
    expect(warned).toEqual([]);
    await becomes('nothing left to do', () => feed.behindSince() === undefined);
  });

  it('report that one of them is beyond its end, instead of skipping new events', async () => {
    await start(2n ** 60n);
    await write(1);
    await becomes('a warning', () => warned.some(({ err }) => err instanceof PositionBeyondLogEnd));
    expect(warned[0]).toMatchObject({ reactor: 'fast', position: String(2n ** 60n) });
    expect(seen).toEqual([]);
    // Otherwise the metrics would say that nothing waits.
    expect(feed.behindSince()).toBeDefined();
  });
});

describe('a subscription whose log was restored while it was cut off', () => {
  it('delivers nothing from it, because another event has the place of the last one delivered', async () => {
    const before = await startEventStoreDb();
    const store = await openEventStoreDb(before.url);
    const ending = new AbortController();
    const delivered: string[] = [];
    const refusals: unknown[] = [];
    const following = (async () => {
      const options = { signal: ending.signal, onRefused: (reason: unknown) => void refusals.push(reason) };
      for await (const { stream } of store.subscribe(LOG_START, options)) delivered.push(stream);
    })();
    const write = (stream: string) => store.append(stream, 0, [aNewEvent('Red', {})]);
    const first = await write('red-a');
    await eventually(async () => delivered.length, Boolean, 'the first event');
    await before.stop();
    const restored = await startEventStoreDb(before.port);
    await eventually(
      () => write('red-b').catch(() => undefined),
      (second) => second !== undefined,
      'an append',
    );
    await write('red-c');
    await eventually(async () => refusals.length, Boolean, 'a refusal');
    const [other] = await store.readStream('red-b');
    ending.abort();
    await following;
    await store.close();
    await restored.stop();
    expect(first).toMatchObject({ position: other?.position });
    expect([delivered, refusals]).toEqual([['red-a'], [expect.any(AnotherEventAtPosition)]]);
  });
});

describe('a log that was copied by a tool which gives events ids of its own', () => {
  it('is followed from an event of ours: the id that counts is the one we gave it', async () => {
    const server = await startEventStoreDb();
    const store = await openEventStoreDb(server.url);
    const tool = EventStoreDBClient.connectionString(server.url);
    const ending = new AbortController();
    const outcomes: unknown[] = [];
    try {
      await tool.appendToStream('red-a', jsonEvent({ type: 'Red', data: {}, metadata: someMetadata() }));
      const [event] = await store.readAll(LOG_START, 1);
      const afterEvent = event?.metadata.event_id;
      expect(await store.idAt(event?.position ?? LOG_START)).toBe(afterEvent);
      const note = (outcome: unknown) => {
        outcomes.push(outcome);
        ending.abort();
      };
      const options = { signal: ending.signal, afterEvent, onCaughtUp: note, onRefused: note };
      for await (const { stream } of store.subscribe(event?.position ?? LOG_START, options)) outcomes.push(stream);
    } finally {
      await tool.dispose();
      await store.close();
      await server.stop();
    }
    expect(outcomes).toEqual([true]);
  });
});
