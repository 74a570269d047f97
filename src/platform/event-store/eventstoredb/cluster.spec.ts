import { appendSurely, endOfLog, idsOf, reachable } from '../../../../test/contract/event-store/steps';
import {
  type ClusterNode,
  startEventStoreDbCluster,
  type TestCluster,
} from '../../../../test/support/eventstoredb/cluster';
import { eventually } from '../../../../test/support/eventually';
import { aStream, newEvents } from '../../../../test/support/events';
import { follow } from '../../../../test/support/follow';
import { startStopwatch } from '../../../../test/support/stopwatch';
import { type EventStore, StoreUnavailable } from '../event-store.port';
import { openEventStoreDb } from './eventstoredb-store';

const ELECTION_MS = 300;
const NOTICE_MS = 1_000;

describe('a cluster of EventStoreDB', () => {
  let cluster: TestCluster;
  let store: EventStore;
  beforeEach(async () => {
    cluster = await startEventStoreDbCluster({ electionMs: ELECTION_MS, noticeMs: NOTICE_MS });
    store = await openEventStoreDb(cluster.url);
    await store.append(aStream(), 0, newEvents(1));
  });
  afterEach(async () => {
    await store.close();
    await cluster.stop();
  });

  /** Time from now until an append gets through, and how the ones before it failed. */
  const untilWritten = async (): Promise<{ ms: number; failures: unknown[] }> => {
    const stop = startStopwatch();
    const failures: unknown[] = [];
    const [stream, events] = [aStream(), newEvents(1)];
    for (;;) {
      try {
        await store.append(stream, 0, events);
        expect(idsOf(await store.readStream(stream))).toEqual(idsOf(events));
        return { ms: stop(), failures };
      } catch (error) {
        failures.push(error);
      }
    }
  };
  const unnamed = (failures: readonly unknown[]): unknown[] =>
    failures.filter((failure) => !(failure instanceof StoreUnavailable));

  it('accepts appends again within three seconds plus the election after its leader was killed', async () => {
    const seen = follow(store, await endOfLog(store));
    await seen.until(() => seen.caughtUp.length > 0);
    await cluster.kill(cluster.leader());
    const { ms, failures } = await untilWritten();
    expect(unnamed(failures)).toEqual([]);
    await seen.until(() => seen.seen.length > 0);
    expect(ms).toBeLessThan(3_000 + ELECTION_MS);
    await seen.stop();
  });

  it('accepts appends again within five seconds after its leader froze, although the others still name it', async () => {
    const seen = follow(store, await endOfLog(store));
    await seen.until(() => seen.caughtUp.length > 0);
    cluster.freeze(cluster.leader());
    const { ms, failures } = await untilWritten();
    expect(unnamed(failures)).toEqual([]);
    await seen.until(() => seen.seen.length > 0);
    expect(ms).toBeLessThan(5_000);
    await seen.stop();
  });

  it('writes everything once through one election after another, under load', async () => {
    const written: string[] = [];
    const batches = new Map<string, ReturnType<typeof newEvents>>();
    let over = false;
    const work = async (): Promise<void> => {
      while (!over) {
        const [stream, events] = [aStream(), newEvents(2)];
        batches.set(stream, events);
        await appendSurely(store, stream, 0, events).then(
          () => written.push(stream),
          (error: unknown) => expect(error).toBeInstanceOf(StoreUnavailable),
        );
      }
    };
    const working = Promise.all(Array.from({ length: 8 }, work));
    let down: ClusterNode | undefined;
    try {
      for (let round = 0; round < 3; round += 1) {
        const enough = written.length + 20;
        await eventually(
          async () => written.length,
          (count) => count > enough,
          'more work done',
        );
        const leader = cluster.leader();
        if (down) await cluster.revive(down);
        if (round % 2 === 0) await cluster.kill(leader);
        else cluster.freeze(leader);
        down = leader;
      }
      const enough = written.length + 20;
      await eventually(
        async () => written.length,
        (count) => count > enough,
        'more work done',
      );
    } finally {
      // A closed store refuses at once: who goes on asking it would never end.
      over = true;
      await working;
    }
    for (const stream of written)
      expect(idsOf(await store.readStream(stream))).toEqual(idsOf(batches.get(stream) ?? []));
  });

  it('shows what was just acknowledged even through the address of a follower', async () => {
    cluster.lag(2_000);
    for (const { url } of cluster.followers()) {
      const behind = await openEventStoreDb(url);
      const seen = follow(behind, await endOfLog(behind));
      const [stream, events] = [aStream(), newEvents(3)];
      await expect(behind.append(stream, 0, events)).resolves.toMatchObject({ kind: 'appended', version: 3 });
      expect(idsOf(await behind.readStream(stream))).toEqual(idsOf(events));
      await seen.until(() => seen.seen.length >= 3);
      await seen.stop();
      await behind.close();
    }
  });

  it.each([
    ['all nodes', () => cluster.url],
    ['its leader alone', () => cluster.leader().url],
  ])(
    'reads what was just acknowledged after a handover that breaks no connection, by an address of %s',
    async (_, url) => {
      const named = await openEventStoreDb(url());
      const seen = follow(named, await endOfLog(named));
      await seen.until(() => seen.caughtUp.length > 0);
      cluster.lag(2_000);
      for (let round = 1; round <= 2; round += 1) {
        await cluster.resign();
        const [stream, events] = [aStream(), newEvents(3)];
        await expect(appendSurely(named, stream, 0, events)).resolves.toMatchObject({ kind: 'appended', version: 3 });
        expect(idsOf(await named.readStream(stream))).toEqual(idsOf(events));
        await seen.until(() => seen.seen.length >= 3 * round);
      }
      await seen.stop();
      expect(seen.seen).toHaveLength(6);
      await named.close();
    },
  );

  it('reports without a majority that nothing can be written, and still answers reads', async () => {
    const [stream, events] = [aStream(), newEvents(2)];
    await store.append(stream, 0, events);
    const down = cluster.followers();
    for (const node of down) await cluster.kill(node);
    await eventually(
      () =>
        store.ping().then(
          () => true,
          () => false,
        ),
      (pings) => !pings,
      'a refusal',
    );
    expect(store.writable).toBe(false);
    await expect(store.ping()).rejects.toBeInstanceOf(StoreUnavailable);
    expect(idsOf(await store.readStream(stream))).toEqual(idsOf(events));
    await expect(store.append(stream, 2, newEvents(1))).rejects.toMatchObject({ outcome: 'unknown' });

    for (const node of down) await cluster.revive(node);
    await reachable(store);
    await eventually(async () => store.writable, Boolean, 'a store that takes writes');
    await expect(appendSurely(store, stream, 2, newEvents(1))).resolves.toMatchObject({ version: 3 });
  });

  it('reports the same if the remaining node was not the leader', async () => {
    const [stream, events] = [aStream(), newEvents(2)];
    await store.append(stream, 0, events);
    const [leader, follower] = [cluster.leader(), cluster.followers()[0] as ClusterNode];
    await cluster.kill(leader);
    await cluster.kill(follower);
    await eventually(
      () => store.readStream(stream).then(idsOf, () => []),
      (ids) => ids.length === 2,
      'reads from the one that is left',
    );
    await expect(store.ping()).rejects.toBeInstanceOf(StoreUnavailable);
    await cluster.revive(leader);
    await reachable(store);
  });
});
