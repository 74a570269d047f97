import { eventually } from '../../../test/support/eventually';
import { aNewEvent } from '../../../test/support/events';
import { temporaryDirectories } from '../../../test/support/temp-directory';
import { openEmbeddedEventStore } from '../event-store/embedded/open-embedded-event-store';
import {
  type EventStore,
  LOG_START,
  type Position,
  type RecordedEvent,
  StoreUnavailable,
} from '../event-store/event-store.port';
import { type Bookmarks, TemporaryFailure } from './reactor';
import { ReactorFeed } from './reactor-feed';
import { countAside, MAX_SET_ASIDE, SetAside } from './set-aside';

const retryPolicy = { attempts: 3, firstPauseMs: 1 };

describe('what a reactor keeps failing at', () => {
  const directory = temporaryDirectories();
  let store: EventStore;
  let kept: Map<string, Position>;
  let bookmarks: Bookmarks;
  let poisoned: Set<string>;
  let seen: string[];
  let feed: ReactorFeed;
  /** How often the log has named each event. */
  let failures: Map<string, number>;

  const start = async (error: () => Error = () => new Error('poison')): Promise<void> => {
    const react = async ({ stream, version }: RecordedEvent): Promise<void> => {
      if (poisoned.has(stream) || poisoned.has(`${stream}:${version}`)) throw error();
      seen.push(`${stream}:${version}`);
    };
    const reactors = [{ name: 'one', types: [aNewEvent().type], react }];
    const warn = ({ event_id: id = '' }: Readonly<{ event_id?: string }>): void =>
      void failures.set(id, (failures.get(id) ?? 0) + 1);
    feed = new ReactorFeed(store, bookmarks, reactors, { warn }, retryPolicy);
    await feed.start();
  };
  const append = async (stream: string, version: number): Promise<void> =>
    void (await store.append(stream, version - 1, [aNewEvent()]));
  const until = (wanted: readonly string[]): Promise<unknown> =>
    eventually(
      async () => seen.join(),
      (found) => found === wanted.join(),
      wanted.join(),
    );

  /** Until it has been tried more often than an event is before it is set aside. */
  const untilTriedFor = async (position: Position): Promise<void> => {
    const [event] = await store.readAll(position - 1n, 1);
    await eventually(
      async () => failures.get(event?.metadata.event_id ?? '') ?? 0,
      (count) => count > retryPolicy.attempts,
      'it is tried again and again',
    );
  };

  beforeEach(async () => {
    store = await openEmbeddedEventStore(directory());
    kept = new Map();
    failures = new Map();
    seen = [];
    poisoned = new Set(['bad-1']);
    bookmarks = {
      bookmark: async (name) => kept.get(name) ?? LOG_START,
      // Never back, as the stores have it.
      setBookmark: async (name, position) => {
        if (position > (kept.get(name) ?? LOG_START)) kept.set(name, position);
      },
    };
  });
  afterEach(async () => {
    await feed.stop();
    await store.close();
  });

  it('is set aside with later events of its stream, and blocks nothing else', async () => {
    await start();
    await append('bad-1', 1);
    await append('good-1', 1);
    await append('bad-1', 2);
    await append('good-2', 1);
    await until(['good-1:1', 'good-2:1']);
    await eventually(
      async () => feed.setAside,
      (count) => count === 2,
      'two are set aside',
    );
    expect(feed.setAside).toBe(2);
  });

  it('is not overtaken by later events of its stream, although the reactor could handle those', async () => {
    poisoned = new Set(['bad-1:1']);
    await start();
    await append('bad-1', 1);
    await append('bad-1', 2);
    await append('good-1', 1);
    await until(['good-1:1']);
    expect(feed.setAside).toBe(2);
    poisoned.clear();
    await feed.retrySetAside();
    expect(seen).toEqual(['good-1:1', 'bad-1:1', 'bad-1:2']);
  });

  it('is handled in order once it can be', async () => {
    await start();
    await append('bad-1', 1);
    await append('bad-1', 2);
    await append('good-1', 1);
    await until(['good-1:1']);
    await feed.retrySetAside();
    expect(feed.setAside).toBe(2);
    poisoned.clear();
    await feed.retrySetAside();
    expect([seen, feed.setAside]).toEqual([['good-1:1', 'bad-1:1', 'bad-1:2'], 0]);
    await append('bad-1', 3);
    await until(['good-1:1', 'bad-1:1', 'bad-1:2', 'bad-1:3']);
  });

  it('is retried by one attempt at a time, whoever requests another', async () => {
    await start();
    await append('bad-1', 1);
    await append('bad-1', 2);
    await append('good-1', 1);
    await until(['good-1:1']);
    poisoned.clear();
    await Promise.all([feed.retrySetAside(), feed.retrySetAside(), feed.retrySetAside()]);
    expect([seen, feed.setAside]).toEqual([['good-1:1', 'bad-1:1', 'bad-1:2'], 0]);
  });

  it('is loaded by the next process', async () => {
    await start();
    await append('bad-1', 1);
    await append('good-1', 1);
    await append('bad-1', 2);
    await until(['good-1:1']);
    await eventually(
      async () => feed.setAside,
      (count) => count === 2,
      'two are set aside',
    );
    await feed.stop();
    poisoned.clear();
    await start();
    expect(feed.setAside).toBe(2);
    await feed.retrySetAside();
    expect([seen, feed.setAside]).toEqual([['good-1:1', 'bad-1:1', 'bad-1:2'], 0]);
    await feed.stop();
    await start();
    expect(feed.setAside).toBe(0);
  });

  it('is set aside once, although the process died before it moved its bookmark', async () => {
    await start();
    await append('bad-1', 1);
    await append('good-1', 1);
    await until(['good-1:1']);
    await feed.stop();
    // Of what was kept only that it is set aside has survived.
    for (const name of [...kept.keys()]) if (!name.includes('aside')) kept.delete(name);
    await start();
    await until(['good-1:1', 'good-1:1']);
    expect(await countAside('one', bookmarks)).toBe(1);
    poisoned.clear();
    await feed.retrySetAside();
    expect([await countAside('one', bookmarks), seen.at(-1)]).toEqual([0, 'bad-1:1']);
  });

  it('is not overwritten after a start at which a lagging node answered', async () => {
    const { type } = aNewEvent();
    for (const stream of ['bad-1', 'good-1', 'bad-2']) await store.append(stream, 0, [aNewEvent()]);
    const [first, , third] = (await store.readAll(LOG_START, 3)) as [RecordedEvent, RecordedEvent, RecordedEvent];
    const before = new SetAside('one', new Set([type]), store, bookmarks);
    await before.open();
    await before.add(first, 0n);
    // The process ends; at its next start the cluster has no leader, and a node answers that has not got there yet.
    const lagging = jest.spyOn(store, 'readAll').mockResolvedValueOnce([]);
    const after = new SetAside('one', new Set([type]), store, bookmarks);
    await after.open().catch(() => after.open());
    lagging.mockRestore();
    await after.add(third, 2n);
    expect(await countAside('one', bookmarks)).toBe(2);
    await start();
  });

  it('is not forgotten until the next start either, if all that the lagging node says is behind', async () => {
    await append('bad-1', 1);
    const [event] = (await store.readAll(LOG_START, 1)) as [RecordedEvent];
    const types = new Set([event.type]);
    await new SetAside('one', types, store, bookmarks).add(event, 0n);
    jest.spyOn(store, 'readAll').mockResolvedValueOnce([]);
    jest.spyOn(store, 'head').mockResolvedValueOnce(0n);
    const after = new SetAside('one', types, store, bookmarks);
    await expect(after.open()).rejects.toThrow(StoreUnavailable);
    await after.open();
    expect(after.size).toBe(1);
    await start();
  });

  it('is kept although the free slot was last used for a later event: bookmarks never move back', async () => {
    for (const stream of ['bad-1', 'bad-2']) await append(stream, 1);
    poisoned = new Set(['bad-2']);
    await start();
    await eventually(
      async () => feed.setAside,
      (count) => count === 1,
      'the later one is set aside',
    );
    poisoned.clear();
    await feed.retrySetAside();
    await feed.stop();
    // The process died before it had kept how far it came, and now fails at the earlier event.
    for (const name of [...kept.keys()]) if (!name.includes('aside')) kept.delete(name);
    poisoned.add('bad-1');
    await start();
    await eventually(
      async () => feed.setAside,
      (count) => count === 1,
      'the earlier one is set aside',
    );
    await feed.stop();
    expect(await countAside('one', bookmarks)).toBe(1);
    await start();
    expect(feed.setAside).toBe(1);
  });

  it('does not delay a stop: what is not begun by then waits for the next start', async () => {
    poisoned = new Set(['bad-1', 'bad-2', 'bad-3']);
    await start();
    for (const stream of poisoned) await append(stream, 1);
    await eventually(
      async () => feed.setAside,
      (count) => count === 3,
      'three are set aside',
    );
    poisoned.clear();
    let stopping: Promise<void> | undefined;
    const push = seen.push.bind(seen);
    // The stop comes in the middle of the first.
    seen.push = (...items) => {
      stopping ??= feed.stop();
      return push(...items);
    };
    await feed.retrySetAside();
    await stopping;
    expect([[...seen], await countAside('one', bookmarks)]).toEqual([['bad-1:1'], 2]);
  });

  it.each(['bad-1', 'bad-2'])(
    'waits in the log if no more can be set aside, and is not lost: one of %s',
    async (last) => {
      const numbers = Array.from({ length: MAX_SET_ASIDE }, (_, index) => index + 1);
      const [version, events] = [last === 'bad-1' ? MAX_SET_ASIDE + 1 : 1, numbers.map(() => aNewEvent())];
      await store.append('bad-1', 0, events);
      await append(last, version);
      await append('good-1', 1);
      poisoned.add(last);
      await start();
      await untilTriedFor(BigInt(MAX_SET_ASIDE + 1));
      expect([seen, feed.setAside]).toEqual([[], MAX_SET_ASIDE]);
      poisoned.clear();
      await feed.retrySetAside();
      await eventually(
        async () => [...seen].sort().join(),
        (found) =>
          found === [...numbers.map((number) => `bad-1:${number}`), `${last}:${version}`, 'good-1:1'].sort().join(),
        'all of them',
      );
    },
  );

  it('waits in the log if it cannot be noted that it is set aside, and is not lost', async () => {
    const working = { ...bookmarks };
    const away = (): Promise<void> => Promise.reject(new StoreUnavailable('unknown', new Error('away')));
    bookmarks.setBookmark = (name, at) => (name.includes('aside') ? away() : working.setBookmark(name, at));
    await append('bad-1', 1);
    await append('good-1', 1);
    await start();
    await untilTriedFor(1n);
    expect([seen, feed.setAside]).toEqual([[], 0]);
    poisoned.clear();
    await until(['bad-1:1', 'good-1:1']);
  });

  it.each([
    ['a store was unavailable', () => new StoreUnavailable('unknown', new Error('away'))],
    ['another instance may have handled it', () => new TemporaryFailure('another may do this by now')],
  ])('is not an event that arrived while %s', async (_, error) => {
    await start(error);
    await append('bad-1', 1);
    await append('good-1', 1);
    await untilTriedFor(1n);
    expect([seen, feed.setAside]).toEqual([[], 0]);
    poisoned.clear();
    await until(['bad-1:1', 'good-1:1']);
  });
});
