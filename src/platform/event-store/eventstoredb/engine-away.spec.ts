import { appendSurely, endOfLog, idsOf, reachable } from '../../../../test/contract/event-store/steps';
import { type Engine, openBreakableEngine } from '../../../../test/support/eventstoredb/harness';
import { aNewEvent, aStream, newEvents } from '../../../../test/support/events';
import { follow } from '../../../../test/support/follow';
import { type EventStore, LOG_START, type RecordedEvent, StoreUnavailable } from '../event-store.port';
import { openEventStoreDb } from './eventstoredb-store';

describe('while EventStoreDB is unavailable, the store', () => {
  let engine: Engine;
  let store: EventStore;
  let direct: EventStore;
  beforeAll(async () => {
    engine = await openBreakableEngine();
    store = await openEventStoreDb(engine.url);
    direct = await openEventStoreDb(engine.directUrl);
  });
  beforeEach(async () => {
    // What one test broke and could not mend must not fail the next.
    engine.proxy.resume();
    await engine.proxy.accept();
    await reachable(store);
  });
  afterAll(async () => {
    await store.close();
    await direct.close();
    await engine.stop();
  });

  /** Each way of using the store, and how it failed. */
  const failures = async (uses: readonly Promise<unknown>[]): Promise<unknown[]> =>
    (await Promise.allSettled(uses)).map((result) =>
      result.status === 'rejected' && result.reason instanceof StoreUnavailable ? result.reason.outcome : result,
    );

  it('times out on a frozen engine, reports that the append may still happen, and learns the outcome later', async () => {
    const stream = aStream();
    const events = newEvents(1);
    const start = await endOfLog(store);
    engine.proxy.pause();
    const follower = follow(store, start, { only: (event) => event.stream === stream });

    const used = [store.append(stream, 0, events), store.readStream(stream), store.readAll(LOG_START, 5), store.ping()];
    await expect(failures(used)).resolves.toEqual(['hanging', 'hanging', 'hanging', 'hanging']);

    engine.proxy.resume();
    await reachable(store);
    await expect(appendSurely(store, stream, 0, events)).resolves.toMatchObject({ kind: 'appended', version: 1 });
    await follower.until(() => follower.seen.length === 1);
    await follower.stop();
    expect(idsOf(await store.readStream(stream))).toEqual(idsOf(events));
  });

  it('reports a dead engine at once, and works again when it is back', async () => {
    const stream = aStream();
    await engine.proxy.refuse();
    engine.proxy.cut();
    for (let round = 0; round < 3; round += 1) {
      const used = [store.append(stream, 0, newEvents(1)), store.readStream(stream), store.readAll(LOG_START, 5)];
      await expect(failures([...used, store.ping(), store.head()])).resolves.toEqual(Array(5).fill('unknown'));
    }
    await engine.proxy.accept();
    await reachable(store);
    await expect(appendSurely(store, stream, 0, newEvents(2))).resolves.toMatchObject({ kind: 'appended', version: 2 });
  });

  it('does not write an append twice whose response was lost', async () => {
    const stream = aStream();
    const events = newEvents(3);
    await store.append(aStream(), 0, newEvents(1));
    engine.proxy.pause('answers');
    const unanswered = failures([store.append(stream, 0, events)]);
    while ((await direct.readStream(stream)).length < events.length) await new Promise(setImmediate);
    engine.proxy.cut();
    engine.proxy.resume();
    await expect(unanswered).resolves.toEqual(['unknown']);

    await reachable(store);
    await expect(store.append(stream, 0, newEvents(3))).resolves.toEqual({ kind: 'conflict' });
    await expect(store.append(stream, 0, events)).resolves.toMatchObject({ kind: 'appended', version: 3 });
    expect(idsOf(await store.readStream(stream))).toEqual(idsOf(events));
  });

  it('survives many large appends that were stuck when the connection broke', async () => {
    const text = 'x'.repeat(20_000);
    const streams = Array.from({ length: 100 }, () => aStream());
    const batches = new Map(streams.map((stream) => [stream, [aNewEvent('Large', { text })]]));
    const appendAll = (): Promise<unknown[]> =>
      Promise.all(streams.map((stream) => appendSurely(store, stream, 0, batches.get(stream) ?? [])));
    await store.append(aStream(), 0, newEvents(1));

    engine.proxy.pause();
    const stuck = appendAll();
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    engine.proxy.cut();
    engine.proxy.resume();
    const results = await stuck;
    expect(results).toHaveLength(100);
    await expect(appendAll()).resolves.toEqual(results);
  });

  it('resumes a subscription after a long outage, and reports when it has caught up again', async () => {
    const stream = aStream();
    const follower = follow(store, await endOfLog(store), { only: (event: RecordedEvent) => event.stream === stream });
    await follower.until(() => follower.caughtUp.length === 1);
    await store.append(stream, 0, newEvents(2));
    await follower.until(() => follower.seen.length === 2);

    await engine.proxy.refuse();
    engine.proxy.cut();
    await direct.append(stream, 2, newEvents(3));
    await failures([store.ping()]);
    await engine.proxy.accept();

    await follower.until(() => follower.caughtUp.length >= 2);
    expect(follower.caughtUp[1]).toBe(5);
    await follower.stop();
    expect(follower.seen).toEqual(await direct.readStream(stream));
  });

  it('ends a subscription at once when asked to', async () => {
    const follower = follow(store, await endOfLog(store));
    await follower.until(() => follower.caughtUp.length === 1);
    await engine.proxy.refuse();
    engine.proxy.cut();
    await failures([store.ping(), store.ping()]);
    await expect(follower.stop()).resolves.toBeUndefined();
    await engine.proxy.accept();
  });
});
