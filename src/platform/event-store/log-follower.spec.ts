import { type Category } from '../../kernel/aggregates';
import { eventually } from '../../../test/support/eventually';
import { startEventStoreDb, type TestEventStoreDb } from '../../../test/support/eventstoredb/server';
import { aStream, newEvents } from '../../../test/support/events';
import { type Random, seededRandom, seedFrom } from '../../../test/support/seeded';
import { systemClock } from '../../kernel/clock';
import { type Decider } from '../../kernel/decider';
import { newId } from '../../kernel/ids';
import { pause } from '../../kernel/pause';
import { type EventStore } from './event-store.port';
import { openEventStoreDb } from './eventstoredb/eventstoredb-store';
import { CommandRunner } from './run-command';

type Turned = Readonly<{ type: 'Turned'; data: Readonly<{ to: number }> }>;

/** Something that is only checked: a number that others turn. So few are kept that some are always forgotten. */
const dial: Decider<number, number, Turned> = {
  category: 'dial' as Category,
  initial: 0,
  kept: 6,
  decide: (to, state) => (to === state ? [] : [{ type: 'Turned', data: { to } }]),
  evolve: (_, { data }) => data.to,
};

const context = { requestId: 'r', actor: { kind: 'test', id: 't' } };
const readable = async (): Promise<void> => undefined;

describe('folds that are kept current by following the log', () => {
  let server: TestEventStoreDb;
  let stores: EventStore[];
  let runners: CommandRunner[];
  beforeEach(async () => {
    server = await startEventStoreDb();
    stores = await Promise.all([0, 1, 2].map(() => openEventStoreDb(server.url)));
    runners = stores.map((store) => new CommandRunner(store, systemClock, readable));
  });
  afterEach(async () => {
    for (const runner of runners) runner.onModuleDestroy();
    await Promise.all(stores.map((store) => store.close()));
    await server.stop();
  });

  const streamReads = (): number => server.asked().streamReads;
  const turn = (by: CommandRunner, id: string, to: number) => by.run(dial, id, to, context);
  const instance = (at: number): CommandRunner => runners[at] as CommandRunner;

  /** Reads until it need not any more. */
  const untilFollowed = async (by: CommandRunner, id: string): Promise<void> => {
    await eventually(
      async () => {
        const before = streamReads();
        await by.fold(dial, id);
        return streamReads() - before;
      },
      (reads) => reads === 0,
      'folds without reads',
    );
  };

  it('need no read of a cached stream, even after others changed it, and share one head lookup among all callers', async () => {
    const id = newId('txn');
    await turn(instance(0), id, 1);
    await untilFollowed(instance(1), id);
    await turn(instance(0), id, 2);
    const before = server.asked();
    const folded = await Promise.all(Array.from({ length: 50 }, () => instance(1).fold(dial, id)));
    expect(folded.map(({ state }) => state)).toEqual(Array(50).fill(2));
    const { streamReads: reads, allReads: looks } = server.asked();
    expect([reads - before.streamReads, looks - before.allReads]).toEqual([0, 1]);
  });

  it('need no head lookup for a read as of a known position', async () => {
    const id = newId('txn');
    await turn(instance(0), id, 1);
    await untilFollowed(instance(1), id);
    await turn(instance(0), id, 2);
    const moment = await instance(1).moment();
    const before = server.asked();
    expect((await instance(1).fold(dial, id, moment)).state).toBe(2);
    expect(server.asked()).toEqual(before);
  });

  it('create a stream without a read, and learn from the conflict that it exists', async () => {
    const id = newId('txn');
    const before = streamReads();
    await turn(instance(0), id, 1);
    expect(streamReads()).toBe(before);
    expect((await turn(instance(1), id, 1)).events).toEqual([]);
    expect(streamReads()).toBe(before + 1);
  });

  it('skip foreign events, even if one of them is the newest event', async () => {
    const id = newId('txn');
    await turn(instance(0), id, 1);
    await untilFollowed(instance(1), id);
    const { EventStoreDBClient, jsonEvent } = await import('@eventstore/db-client');
    const stranger = EventStoreDBClient.connectionString(server.url);
    await stranger.appendToStream('$stats', [jsonEvent({ type: 'Strange', data: {} })]);
    await stranger.dispose();
    const before = streamReads();
    expect((await instance(1).fold(dial, id)).state).toBe(1);
    expect(streamReads()).toBe(before);
  });

  it('read streams again while the subscription is cut off, and follow again afterwards', async () => {
    const id = newId('txn');
    await turn(instance(0), id, 1);
    await untilFollowed(instance(1), id);
    await server.restart();
    await eventually(
      () => turn(instance(0), id, 2).catch(() => undefined),
      (outcome) => outcome !== undefined,
      'a store that is back',
    );
    expect((await instance(1).fold(dial, id)).state).toBe(2);
    await untilFollowed(instance(1), id);
    await turn(instance(0), id, 3);
    expect((await instance(1).fold(dial, id)).state).toBe(3);
  });

  it('do not trust a read during which a newer event passed', async () => {
    const id = newId('txn');
    const reader = instance(1);
    await turn(instance(0), id, 1);
    await eventually(
      () => reader.moment(),
      (moment) => moment !== undefined,
      'following',
    );
    const store = stores[1] as EventStore;
    const real = store.readStream.bind(store);
    // The answer to the read is held back until the next event has come by here.
    const held = jest.spyOn(store, 'readStream').mockImplementationOnce(async (...asked) => {
      const found = await real(...asked);
      await turn(instance(0), id, 2);
      const moment = await instance(0).moment();
      while (moment === undefined || !(await hasPassed(reader, moment))) await new Promise(setImmediate);
      return found;
    });
    expect((await reader.fold(dial, id)).state).toBe(1);
    held.mockRestore();
    expect((await reader.fold(dial, id)).state).toBe(2);
  });

  it.each([
    ['waits for events that come late', 20, 0],
    ['reads what it would have to wait for too long', 60_000, 1],
  ])('%s', async (_, lateByMs, reads) => {
    const store = stores[1] as EventStore;
    const real = store.subscribe.bind(store);
    let late = 0;
    jest.spyOn(store, 'subscribe').mockImplementation(async function* (...asked) {
      for await (const event of real(...asked)) {
        await pause(late, asked[1].signal);
        yield event;
      }
    });
    const id = newId('txn');
    await turn(instance(0), id, 1);
    await untilFollowed(instance(1), id);
    late = lateByMs;
    await turn(instance(0), id, 2);
    const before = streamReads();
    expect((await instance(1).fold(dial, id)).state).toBe(2);
    expect(streamReads() - before).toBe(reads);
  });

  /** Whatever is asked, answered, forgotten and cut off in between. */
  it('never show less than what any instance acknowledged before the call', async () => {
    const random: Random = seededRandom(seedFrom('CHECKED_SEED'));
    const ids = Array.from({ length: 8 }, () => newId('txn'));
    const acknowledged = new Map<string, number>(ids.map((id) => [id, 0]));
    const failures: string[] = [];
    let folds = 0;
    let over = false;
    const writing = async (): Promise<void> => {
      for (let to = 1; !over; to += 1) {
        const id = random.pick(ids);
        const next = Math.max(acknowledged.get(id) ?? 0, 0) + 1;
        const outcome = await turn(random.pick(runners), id, next).catch(() => undefined);
        if (outcome !== undefined) acknowledged.set(id, Math.max(acknowledged.get(id) ?? 0, outcome.state));
        if (random.below(4) === 0) await (stores[0] as EventStore).append(aStream(), 0, newEvents(1)).catch(() => 0);
        await new Promise(setImmediate);
      }
    };
    const checking = async (): Promise<void> => {
      while (!over) {
        const [by, id] = [random.pick(runners), random.pick(ids)];
        const least = acknowledged.get(id) ?? 0;
        const moment = random.below(2) === 0 ? await by.moment().catch(() => undefined) : undefined;
        const folded = await by.fold(dial, id, moment).catch(() => undefined);
        if (folded !== undefined && folded.state < least) failures.push(`${id}: ${folded.state} < ${least}`);
        folds += 1;
        // A store that is closed refuses at once: nobody else would ever have a turn.
        if (folded === undefined) await new Promise(setImmediate);
      }
    };
    // One writer a time and value: then the newest acknowledged is the largest.
    const working = Promise.all([writing(), ...Array.from({ length: 6 }, checking)]);
    try {
      for (let cut = 0; cut < 3; cut += 1) {
        const enough = folds + 400;
        await eventually(
          async () => folds,
          (count) => count > enough,
          'folds',
        );
        await server.dropConnections();
      }
    } finally {
      over = true;
      await working;
    }
    expect({ seed: random.seed, failures }).toEqual({ seed: random.seed, failures: [] });
  });
});

const hasPassed = (runner: CommandRunner, position: bigint): Promise<boolean> =>
  (
    runner as unknown as { folds: { follower: { hasPassed(position: bigint): Promise<boolean> } } }
  ).folds.follower.hasPassed(position);
