import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { systemClock } from '../../kernel/clock';
import { type Decider } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { openEmbeddedEventStore } from './embedded/open-embedded-event-store';
import { type EventStore, StoreUnavailable } from './event-store.port';
import { CommandRunner } from './run-command';
import { type Category } from '../../kernel/aggregates';

type Counted = Readonly<{ type: 'Counted'; data: Readonly<{ key: string }> }>;
type State = Readonly<{ keys: readonly string[] }>;

/** Each key counts once; there are at most `limit` of them. */
const counter: Decider<State, Readonly<{ key: string; limit: number }>, Counted> = {
  category: 'counter' as Category,
  initial: { keys: [] },
  decide: ({ key, limit }, { keys }) => {
    if (keys.includes(key)) return [];
    if (keys.length >= limit) throw refuse('version_conflict');
    return [{ type: 'Counted', data: { key } }];
  },
  evolve: ({ keys }, { data }) => ({ keys: [...keys, data.key] }),
};

const context = { requestId: 'r', actor: { kind: 'test', id: 't' } } as const;
const readable = () => Promise.resolve();

describe('running a command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-run-'));
  let store: EventStore;
  let streams = 0;
  const newStream = (): string => `s${(streams += 1)}`;

  beforeAll(async () => {
    store = await openEmbeddedEventStore(folder);
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const keysOf = async (id: string): Promise<unknown[]> =>
    (await store.readStream(`counter-${id}`)).map(({ data }) => (data as { key: string }).key);

  it('appends what was decided, with the metadata auditors need', async () => {
    const id = newStream();
    const outcome = await new CommandRunner(store, systemClock, readable).run(
      counter,
      id,
      { key: 'a', limit: 9 },
      context,
    );
    expect(outcome).toMatchObject({ version: 1, state: { keys: ['a'] }, events: [{ type: 'Counted' }] });
    const [event] = await store.readStream(`counter-${id}`);
    expect(event?.metadata).toEqual({
      event_id: expect.stringMatching(/^evt_/),
      occurred_at: expect.stringMatching(/Z$/),
      request_id: 'r',
      actor: { kind: 'test', id: 't' },
      schema: 1,
    });
  });

  it('names the first event of an append as the cause of the rest, and reports which event produced the state', async () => {
    const twice: typeof counter = {
      ...counter,
      decide: (command, state) => counter.decide(command, state).flatMap((event) => [event, event, event]),
    };
    const runner = new CommandRunner(store, systemClock, readable);
    const [alone, caused] = [newStream(), newStream()];
    expect((await runner.fold(twice, alone)).eventId).toBeNull();
    const outcome = await runner.run(twice, alone, { key: 'a', limit: 9 }, context);
    await runner.run(twice, caused, { key: 'a', limit: 9 }, { ...context, causationId: 'evt_elsewhere' });
    const metadataOf = async (id: string) =>
      (await store.readStream(`counter-${id}`)).map(({ metadata }) => [metadata.event_id, metadata.causation_id]);

    const [[first], [, secondCause], [third, thirdCause]] = (await metadataOf(alone)) as [string[], string[], string[]];
    expect([secondCause, thirdCause]).toEqual([first, first]);
    expect((await metadataOf(alone))[0]?.[1]).toBeUndefined();
    expect((await metadataOf(caused)).map(([, cause]) => cause)).toEqual(Array(3).fill('evt_elsewhere'));
    const elsewhere = new CommandRunner(store, systemClock, readable);
    const newest = [outcome, await runner.fold(twice, alone), await elsewhere.fold(twice, alone)];
    expect(newest.map(({ eventId }) => eventId)).toEqual([third, third, third]);
  });

  it('waits until the events are readable, even if there was nothing to do', async () => {
    const waited: bigint[] = [];
    const runner = new CommandRunner(store, systemClock, async (position) => void waited.push(position));
    const id = newStream();
    const first = await runner.run(counter, id, { key: 'a', limit: 9 }, context);
    await runner.run(counter, id, { key: 'a', limit: 9 }, context);
    expect(waited).toEqual([first.position, first.position]);
  });

  it('does not answer before they are, unless the caller does not read what it wrote', async () => {
    let show = (): void => undefined;
    const shown = new Promise<void>((resolve) => (show = resolve));
    const runner = new CommandRunner(store, systemClock, () => shown);
    const id = newStream();
    await runner.run(counter, id, { key: 'a', limit: 9 }, context, { untilReadable: false });
    let isAnswered = false;
    const answered = runner.run(counter, id, { key: 'b', limit: 9 }, context).then(() => (isAnswered = true));
    await runner.run(counter, id, { key: 'c', limit: 9 }, context, { untilReadable: false });
    await new Promise(setImmediate);
    expect([isAnswered, await keysOf(id)]).toEqual([false, ['a', 'b', 'c']]);
    show();
    expect(await answered).toBe(true);
  });

  it.each(['refuses', 'does nothing'])('never %s for want of what another writer has added since', async (word) => {
    // Wants as many keys as the limit says before it adds one.
    const patient: typeof counter = {
      ...counter,
      decide: ({ key, limit }, { keys }) => {
        if (keys.length >= limit) return [{ type: 'Counted', data: { key } }];
        if (word === 'refuses') throw refuse('approval_pending');
        return [];
      },
    };
    const id = newStream();
    const [one, other] = [
      new CommandRunner(store, systemClock, readable),
      new CommandRunner(store, systemClock, readable),
    ];
    await one.run(patient, id, { key: 'a', limit: 0 }, context);
    await other.run(patient, id, { key: 'b', limit: 1 }, context);
    // By its cache there is one key.
    await one.run(patient, id, { key: 'c', limit: 2 }, context);
    expect(await keysOf(id)).toEqual(['a', 'b', 'c']);
  });

  it('loses and duplicates nothing when many runners race for one key', async () => {
    const id = newStream();
    const runners = Array.from({ length: 5 }, () => new CommandRunner(store, systemClock, readable));
    const keys = Array.from({ length: 40 }, (_, index) => `k${index % 20}`);
    await Promise.all(
      keys.map((key, index) => (runners[index % 5] as CommandRunner).run(counter, id, { key, limit: 99 }, context)),
    );
    expect((await keysOf(id)).sort()).toEqual([...new Set(keys)].sort());
  });

  it('never refuses on a stale cache: another writer’s events are seen before the answer', async () => {
    const id = newStream();
    const [one, other] = [
      new CommandRunner(store, systemClock, readable),
      new CommandRunner(store, systemClock, readable),
    ];
    await one.run(counter, id, { key: 'a', limit: 1 }, context);
    await expect(other.run(counter, id, { key: 'b', limit: 1 }, context)).rejects.toMatchObject({
      code: 'version_conflict',
    });
    await other.run(counter, id, { key: 'b', limit: 2 }, context);
    // `one` has not read since: by its cache key "b" would be new.
    expect((await one.run(counter, id, { key: 'b', limit: 9 }, context)).events).toEqual([]);
    expect(await keysOf(id)).toEqual(['a', 'b']);
  });

  it('resolves unknown outcomes: nothing is lost or doubled when a quarter of all appends fail before or after', async () => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.integer({ min: 0, max: 99 })), async (dice) => {
        // Several streams at once: on one stream the commands queue, and so would their pauses.
        const ids = Array.from({ length: 20 }, newStream);
        const runner = new CommandRunner(
          faulty(store, () => dice.next().value as number),
          systemClock,
          readable,
        );
        const keys = Array.from({ length: 100 }, (_, index) => `k${index}`);
        const settled = await Promise.allSettled(
          keys.map((key, index) => runner.run(counter, ids[index % 20] as string, { key, limit: 99 }, context)),
        );
        const acknowledged = keys.filter((_, index) => settled[index]?.status === 'fulfilled');
        const there = (await Promise.all(ids.map(keysOf))).flat();
        expect(new Set(there).size).toBe(there.length);
        expect(there).toEqual(expect.arrayContaining(acknowledged));
      }),
      { numRuns: 4 },
    );
  });

  it('does not retry an append that may still be in flight', async () => {
    let appends = 0;
    const hanging: EventStore = {
      ...bind(store),
      append: () => {
        appends += 1;
        return Promise.reject(new StoreUnavailable('hanging'));
      },
    };
    const running = new CommandRunner(hanging, systemClock, readable).run(
      counter,
      newStream(),
      { key: 'a', limit: 1 },
      context,
    );
    await expect(running).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(appends).toBe(1);
  });
});

const bind = (store: EventStore): EventStore => ({
  isRemote: false,
  readStream: (...args) => store.readStream(...args),
  append: (...args) => store.append(...args),
  readAll: (...args) => store.readAll(...args),
  subscribe: (...args) => store.subscribe(...args),
  idAt: (...args) => store.idAt(...args),
  head: () => store.head(),
  writable: true,
  ping: () => store.ping(),
  close: () => store.close(),
});

function faulty(store: EventStore, roll: () => number): EventStore {
  return {
    ...bind(store),
    append: async (...args) => {
      const dice = roll();
      if (dice < 12) throw new StoreUnavailable('unknown');
      const result = await store.append(...args);
      if (dice < 25) throw new StoreUnavailable('unknown');
      return result;
    },
  };
}
