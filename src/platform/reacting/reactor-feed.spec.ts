import { isDeepStrictEqual } from 'node:util';
import { type Logger } from 'pino';
import { systemClock } from '../../kernel/clock';
import { eventually } from '../../../test/support/eventually';
import { aNewEvent, aStream } from '../../../test/support/events';
import { temporaryDirectories } from '../../../test/support/temp-directory';
import { openEmbeddedEventStore } from '../event-store/embedded/open-embedded-event-store';
import {
  type EventStore,
  LOG_START,
  type Position,
  type RecordedEvent,
  type SubscribeOptions,
} from '../event-store/event-store.port';
import { type ReadModelStore } from '../read-model/read-model.port';
import { type Leadership } from './leadership';
import { type Bookmarks, type Reactor } from './reactor';
import { ReactorFeed } from './reactor-feed';
import { Reactors } from './reactors';

const numberOf = (event: RecordedEvent): number => (event.data as { n: number }).n;
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const until = (look: () => unknown, wanted: unknown): Promise<unknown> =>
  eventually(
    async () => look(),
    (seen) => isDeepStrictEqual(seen, wanted),
    `seeing ${JSON.stringify(wanted, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))}`,
  );

describe('the feed of the reactors', () => {
  const directory = temporaryDirectories();
  let store: EventStore;
  let kept: Map<string, Position>;
  let bookmarks: Bookmarks;
  const feeds: ReactorFeed[] = [];
  let warnings: object[];

  beforeEach(async () => {
    store = await openEmbeddedEventStore(directory());
    kept = new Map();
    warnings = [];
    bookmarks = {
      bookmark: async (name) => kept.get(name) ?? LOG_START,
      setBookmark: async (name, position) => void kept.set(name, position),
    };
  });
  afterEach(async () => {
    await Promise.all(feeds.splice(0).map((feed) => feed.stop()));
    await store.close();
  });

  async function start(...reactors: Reactor[]): Promise<ReactorFeed> {
    const feed = new ReactorFeed(store, bookmarks, reactors, { warn: (fields) => void warnings.push(fields) });
    feeds.push(feed);
    await feed.start();
    return feed;
  }

  async function write(type: string, ...numbers: number[]): Promise<void> {
    await store.append(
      aStream(),
      0,
      numbers.map((n) => aNewEvent(type, { n })),
    );
  }

  /** Writes down what it sees; `gate` holds it at every event. */
  function noting(name: string, types: string[], gate: () => Promise<unknown> = async () => undefined) {
    const seen: number[] = [];
    const react = async (event: RecordedEvent): Promise<void> => {
      await gate();
      seen.push(numberOf(event));
    };
    return { seen, reactor: { name, types, react } };
  }

  it('gives each reactor the events of its types, old and new, in order', async () => {
    await write('Red', 0, 1);
    await write('Blue', 2);
    const red = noting('red', ['Red']);
    const both = noting('both', ['Red', 'Blue']);
    await start(red.reactor, both.reactor);
    await write('Red', 3);
    await write('Green', 4);
    await write('Blue', 5);
    await until(() => both.seen, [0, 1, 2, 3, 5]);
    expect(red.seen).toEqual([0, 1, 3]);
  });

  it('continues from each bookmark, even past events that no reactor wanted', async () => {
    const red = noting('red', ['Red']);
    const first = await start(red.reactor);
    await write('Red', 0);
    await write('Green', 1);
    await until(() => first.position, 2n);
    await first.stop();
    expect(kept.get('red')).toBe(2n);
    await write('Red', 2);
    const again = noting('red', ['Red']);
    const fresh = noting('fresh', ['Red', 'Green']);
    await start(again.reactor, fresh.reactor);
    await until(() => fresh.seen, [0, 1, 2]);
    await until(() => again.seen, [2]);
  });

  it('never saves a bookmark beyond an unhandled event', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const slow = noting('slow', ['Red'], () => gate);
    const feed = await start(slow.reactor);
    await write('Green', 0);
    await write('Red', 1);
    await write('Green', 2);
    await until(() => feed.position, 3n);
    expect(feed.behindSince()).toBeDefined();
    // As it does every second: a process killed now must begin before the event that it has not handled.
    await (Reflect.get(feed, 'saveBookmarks') as () => Promise<void>).call(feed);
    expect(kept.get('slow') ?? LOG_START).toBeLessThan(2n);
    const stopped = feed.stop();
    release();
    await stopped;
    // It was let go on before it stopped, so the one event is done; what the bookmark says must not go beyond that.
    expect(slow.seen).toEqual([1]);
    expect(kept.get('slow') ?? LOG_START).toBeLessThanOrEqual(3n);
    expect(kept.get('slow')).toBeGreaterThanOrEqual(2n);
  });

  it('retries a failing event and lets no other overtake it, without blocking another reactor', async () => {
    let failures = 2;
    const odd = noting('odd', ['Red'], async () => {
      if (failures > 0) throw new Error(`not yet ${(failures -= 1)}`);
    });
    const other = noting('other', ['Red']);
    await start(odd.reactor, other.reactor);
    await write('Red', 0, 1);
    await until(() => odd.seen, [0, 1]);
    expect(warnings).toHaveLength(2);
    expect(other.seen).toEqual([0, 1]);
  });

  it('gives nothing to reactors of an instance that no longer leads, and everything once it does again', async () => {
    let leads = false;
    const logger = { warn: (fields: object) => void warnings.push(fields) } as unknown as Logger;
    const leadership = { leads: () => leads } as Leadership;
    const reactors = new Reactors(store, bookmarks as ReadModelStore, logger, systemClock, leadership);
    const red = noting('red', ['Red']);
    reactors.add(red.reactor);
    await reactors.start();
    try {
      await write('Red', 0);
      await until(() => warnings.length > 0, true);
      expect(red.seen).toEqual([]);
      leads = true;
      await until(() => red.seen, [0]);
    } finally {
      await reactors.stop();
    }
  });

  it('lets a slow reactor read the log itself, and attach to the feed again', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const slow = noting('slow', ['Red'], () => gate);
    const quick = noting('quick', ['Red']);
    const feed = await start(slow.reactor, quick.reactor);
    const many = 2_500;
    for (const n of upTo(many)) await (n % 500 === 0 ? write('Red', ...upTo(500).map((m) => n + m)) : undefined);
    await until(() => quick.seen.length, many);
    expect(slow.seen).toEqual([]);
    const behindSince = feed.behindSince();
    const reading = jest.spyOn(store, 'readAll');
    release();
    await until(() => slow.seen.length, many);
    expect(reading).toHaveBeenCalled();
    reading.mockRestore();
    // It had left the feed and was still at its first event, so that one says how far it was behind.
    expect(behindSince).toBe((await store.readAll(LOG_START, 1))[0]?.metadata.occurred_at);
    await write('Red', many);
    await until(() => slow.seen, upTo(many + 1));
    await until(() => feed.behindSince(), undefined);
  });

  it('misses nothing when a lagging node answers a reactor that reads the log itself', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const slow = noting('slow', ['Red'], () => gate);
    const quick = noting('quick', ['Red']);
    await start(slow.reactor, quick.reactor);
    const many = 2_500;
    for (const n of upTo(many)) await (n % 500 === 0 ? write('Red', ...upTo(500).map((m) => n + m)) : undefined);
    await until(() => quick.seen.length, many);
    // The cluster has lost its leader: for a moment a node answers that has come no further than 2,000 (nodes.ts).
    const readAll = store.readAll.bind(store);
    let answers = 0;
    jest.spyOn(store, 'readAll').mockImplementation(async (after, limit) => {
      const found = await readAll(after, limit);
      if (found.every(({ position }) => position <= 2_000n) || answers === 3) return found;
      answers += 1;
      return found.filter(({ position }) => position <= 2_000n);
    });
    release();
    await until(() => slow.seen.length, many);
    expect(slow.seen).toEqual(upTo(many));
  });
});

describe('a reactor that is ahead of others', () => {
  it('does not trust a node that may lag to confirm that the log reaches its position', async () => {
    const asked: unknown[] = [];
    const subscribe = async function* (after: Position, { signal, onCaughtUp }: SubscribeOptions) {
      if (after === 7n) {
        for (const isCertain of [false, true]) {
          onCaughtUp?.(isCertain);
          asked.push([isCertain, signal.aborted]);
        }
      } else asked.push(`all after ${after}`);
    };
    const store = { subscribe } as unknown as EventStore;
    const bookmarks = { bookmark: async (name: string) => (name === 'fast' ? 7n : LOG_START) } as unknown as Bookmarks;
    const reactors = ['slow', 'fast'].map((name) => ({ name, types: [], react: async () => undefined }));
    const feed = new ReactorFeed(store, bookmarks, reactors, { warn: () => undefined });
    await feed.start();
    await until(() => asked.length, 3);
    await feed.stop();
    expect(asked).toEqual([[false, false], [true, true], 'all after 0']);
  });
});
