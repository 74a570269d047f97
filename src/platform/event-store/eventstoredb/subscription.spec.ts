import { type AllStreamSubscription, EventStoreDBClient, UnknownError } from '@eventstore/db-client';
import { endOfLog } from '../../../../test/contract/event-store/steps';
import { startEventStoreDb, type TestEventStoreDb } from '../../../../test/support/eventstoredb/server';
import { aStream, newEvents } from '../../../../test/support/events';
import { eventually } from '../../../../test/support/eventually';
import { follow } from '../../../../test/support/follow';
import { type EventStore, LOG_START } from '../event-store.port';
import { PositionBeyondLogEnd } from './errors';
import { openEventStoreDb } from './eventstoredb-store';

describe('a subscription on EventStoreDB', () => {
  let server: TestEventStoreDb;
  let store: EventStore;
  /** The engine's subscriptions behind ours, oldest first. */
  let opened: () => AllStreamSubscription[];
  beforeAll(async () => {
    server = await startEventStoreDb();
    store = await openEventStoreDb(server.url);
  });
  beforeEach(() => {
    const subscribeToAll = jest.spyOn(EventStoreDBClient.prototype, 'subscribeToAll');
    opened = () => subscribeToAll.mock.results.map(({ value }) => value as AllStreamSubscription);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await store.close();
    await server.stop();
  });

  it('catches up at once on a log that holds nothing of ours', async () => {
    const follower = follow(store, LOG_START);
    await follower.until(() => follower.caughtUp.length === 1);
    expect(follower.seen).toEqual([]);
    await follower.stop();
  });

  it('buffers only a few events while its consumer is busy', async () => {
    const stream = aStream();
    await store.append(stream, 0, newEvents(600));
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const handle = async (): Promise<void> => {
      await gate;
      await new Promise(setImmediate);
    };
    const follower = follow(store, LOG_START, { handle });
    await follower.until(() => follower.seen.length === 1);
    while ((opened()[0]?.readableLength ?? 0) < 16) await new Promise(setImmediate);
    expect(opened()[0]?.readableLength).toBeLessThan(20);
    expect(follower.caughtUp).toEqual([]);
    release();
    await follower.until(() => follower.caughtUp.length === 1);
    expect(follower.seen).toHaveLength(600);
    expect(follower.caughtUp).toEqual([600]);
    await follower.stop();
  });

  it('is ended on the server too, however the consumer leaves', async () => {
    while (server.openSubscriptions() > 0) await new Promise(setImmediate);
    const aborted = follow(store, LOG_START);
    await aborted.until(() => aborted.caughtUp.length === 1);
    expect(server.openSubscriptions()).toBe(1);
    await aborted.stop();
    for await (const event of store.subscribe(LOG_START, { signal: new AbortController().signal })) {
      if (event.version === 3) break;
    }
    while (server.openSubscriptions() > 0) await new Promise(setImmediate);
    expect(opened()).toHaveLength(2);
  });

  it('tolerates a failure of the engine that occurs when nobody listens any more', async () => {
    const follower = follow(store, LOG_START);
    await follower.until(() => follower.caughtUp.length === 1);
    await follower.stop();
    expect(opened()).toHaveLength(1);
    expect(() => opened()[0]?.emit('error', new Error('late'))).not.toThrow();
  });

  it('is reopened whenever the engine ends it, for whatever reason', async () => {
    const stream = aStream();
    const follower = follow(store, await store.head(), { only: (event) => event.stream === stream });
    for (let round = 0; round < 3; round += 1) {
      await follower.until(() => follower.caughtUp.length === round + 1);
      await store.append(stream, round, newEvents(1));
      await follower.until(() => follower.seen.length === round + 1);
      if (round === 0) opened().at(-1)?.emit('error', new Error('odd'));
      else await opened().at(-1)?.unsubscribe();
    }
    await follower.until(() => follower.caughtUp.length === 4);
    await follower.stop();
    expect(opened()).toHaveLength(4);
    expect(follower.seen).toEqual(await store.readStream(stream));
  });

  it.each([
    ['lies between two events', (first: bigint) => first + 1n, UnknownError],
    ['lies beyond the end, of which the engine says nothing', () => 2n ** 60n, PositionBeyondLogEnd],
  ])('says so when its position %s: it is of another log', async (_, wrong, reason) => {
    const first = await endOfLog(store);
    await endOfLog(store);
    const refused: unknown[] = [];
    const leaving = new AbortController();
    const caughtUp: unknown[] = [];
    const options = { signal: leaving.signal, onRefused: (why: unknown) => refused.push(why) };
    const following = store.subscribe(wrong(first), { ...options, onCaughtUp: () => caughtUp.push(true) });
    const next = following[Symbol.asyncIterator]().next();
    await eventually(
      async () => refused,
      ([why]) => why instanceof reason,
      'the refusal',
    );
    leaving.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(caughtUp).toEqual([]);
  });
});
