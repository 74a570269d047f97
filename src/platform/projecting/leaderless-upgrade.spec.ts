import { startEventStoreDbCluster, type TestCluster } from '../../../test/support/eventstoredb/cluster';
import { aNewEvent, aStream } from '../../../test/support/events';
import { eventually } from '../../../test/support/eventually';
import { temporaryDirectories } from '../../../test/support/temp-directory';
import { systemClock } from '../../kernel/clock';
import { type EventStore, type Position } from '../event-store/event-store.port';
import { openEventStoreDb } from '../event-store/eventstoredb/eventstoredb-store';
import { openEmbeddedReadModel } from '../read-model/embedded/open';
import { type Projection } from '../read-model/projection';
import { type ReadModelStore } from '../read-model/read-model.port';
import { Projector } from './projector';

const A_DAY_MS = 24 * 3_600_000;
const noting = (version: number): Projection => ({ name: 'noting', version, collections: [], project: () => [] });

describe('new projections on a cluster without a leader, whose last node lacks what reads had shown', () => {
  const directory = temporaryDirectories();
  let cluster: TestCluster;
  let model: ReadModelStore;
  let warnings: string[];
  let undo: (() => Promise<unknown>)[];
  beforeEach(async () => {
    [warnings, undo] = [[], []];
    cluster = await startEventStoreDbCluster();
    model = await openEmbeddedReadModel(directory());
  });
  afterEach(async () => {
    for (const step of undo.reverse()) await step();
    await model.close();
    await cluster.stop();
  });

  const log = { info: () => undefined, warn: (_: object, message: string) => void warnings.push(message) };
  const open = async (connectionName: string): Promise<EventStore> => {
    const store = await openEventStoreDb(`${cluster.url}&connectionName=${connectionName}`);
    undo.push(() => store.close());
    return store;
  };
  const follow = async (store: EventStore, version: number): Promise<Projector> => {
    const projector = new Projector(store, model, [noting(version)], systemClock, log);
    undo.push(() => projector.stop());
    await projector.start();
    return projector;
  };
  const append = async (store: EventStore): Promise<Position> => {
    const result = await store.append(aStream(), 0, [aNewEvent()]);
    if (result.kind === 'conflict') throw new Error('conflict');
    return result.position;
  };

  it('wait for the leader: its reactors do not begin anew, and nobody is told of a restore', async () => {
    const before = await open('before');
    const earlier = await follow(before, 1);
    cluster.lag(A_DAY_MS);
    const position = await append(before);
    await earlier.progress.passed(position);
    await model.setBookmark('a reactor', position);
    await earlier.stop();
    const [one, two] = cluster.nodes;
    if (one === undefined || two === undefined) throw new Error('a cluster has three nodes');
    await cluster.kill(one);
    await cluster.kill(two);

    const later = await follow(await open('later'), 2);
    await cluster.revive(one);
    // Any of them may lead, and all have what was acknowledged.
    cluster.lag(0);
    await eventually(async () => later.isFollowing, Boolean, 'following');
    await later.progress.passed(position);
    expect([await model.bookmark('a reactor'), warnings.filter((one) => one.includes('restored'))]).toEqual([
      position,
      [],
    ]);
  });
});
