import { startEventStoreDbCluster, type TestCluster } from '../../../../test/support/eventstoredb/cluster';
import { aNewEvent, aStream } from '../../../../test/support/events';
import { eventually } from '../../../../test/support/eventually';
import { ReactorFeed } from '../../reacting/reactor-feed';
import { type EventStore, LOG_START, type Position } from '../event-store.port';
import { openEventStoreDb } from './eventstoredb-store';

describe('a cluster of EventStoreDB that had no leader when it was first used', () => {
  let cluster: TestCluster;
  let store: EventStore;
  let position: Position;
  const undo: (() => unknown)[] = [];
  beforeEach(async () => {
    cluster = await startEventStoreDbCluster();
    const before = await openEventStoreDb(cluster.url);
    const result = await before.append(aStream(), 0, [aNewEvent('Red', { n: 1 })]);
    position = result.kind === 'appended' ? result.position : LOG_START;
    await before.close();
    const [one, two] = cluster.nodes;
    if (one === undefined || two === undefined) throw new Error('a cluster has three nodes');
    await cluster.kill(one);
    await cluster.kill(two);
    // Another URL, hence another client, as in a process that starts now.
    store = await openEventStoreDb(`${cluster.url}&connectionName=later`);
  });
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
    await store.close();
    await cluster.stop();
  });
  const revive = (): Promise<void> => cluster.revive(cluster.nodes[0] as (typeof cluster.nodes)[number]);

  it('is followed with certainty once it has one, though nobody else uses the connection', async () => {
    const certain: boolean[] = [];
    const delivered: string[] = [];
    const ending = new AbortController();
    const options = { signal: ending.signal, onCaughtUp: (isCertain: boolean) => void certain.push(isCertain) };
    const following = (async () => {
      for await (const { stream } of store.subscribe(position, options)) delivered.push(stream);
    })();
    undo.push(
      () => following,
      () => ending.abort(),
    );
    await eventually(async () => certain.length, Boolean, 'catching up with a follower');
    expect(certain).not.toContain(true);
    await revive();
    await eventually(async () => certain.includes(true), Boolean, 'certainty');
    expect(delivered).toEqual([]);
  });

  it('has its reactors at different positions go on once it has one', async () => {
    const seen: string[] = [];
    const bookmarks = {
      bookmark: async (name: string) => (name === 'fast' ? position : LOG_START),
      setBookmark: async () => undefined,
    };
    const reactors = ['slow', 'fast'].map((name) => ({
      name,
      types: ['Red'],
      react: async ({ data }: { data: unknown }) => void seen.push(`${name} ${(data as { n: number }).n}`),
    }));
    const feed = new ReactorFeed(store, bookmarks, reactors, { warn: () => undefined });
    await feed.start();
    undo.push(() => feed.stop());
    await eventually(async () => cluster.nodes[2]?.openSubscriptions(), Boolean, 'asking a follower');
    expect(seen).toEqual([]);
    await revive();
    await eventually(
      async () => seen,
      (reactions) => reactions.length > 0,
      'a reaction',
    );
    expect(seen).toEqual(['slow 1']);
  });
});
