import { Log } from '../../../../test/support/eventstoredb/log';
import { alone, type RoleName } from '../../../../test/support/eventstoredb/node-role';
import { startNode, type TestEventStoreDb } from '../../../../test/support/eventstoredb/server';
import { aStream, newEvents } from '../../../../test/support/events';
import { StoreUnavailable } from '../event-store.port';
import { openEventStoreDb } from './eventstoredb-store';

describe('a single EventStoreDB node that has just started', () => {
  let server: TestEventStoreDb;
  afterEach(() => server.stop());

  /** While it starts it refuses the first call that requires a leader, and names itself. */
  const startNotLeading = (): Promise<TestEventStoreDb> => {
    let name: RoleName = 'follower';
    return startNode(new Log(), (port) => {
      const role = alone('eventstoredb', port);
      const leader = (): ReturnType<typeof role.leader> => {
        name = 'leader';
        return role.leader();
      };
      return { ...role, name: () => name, leader };
    });
  };

  it('is not treated as a cluster because it once did not lead: later it is reached again without a search', async () => {
    server = await startNotLeading();
    const store = await openEventStoreDb(server.url);
    await store.append(aStream(), 0, newEvents(1));
    await store.head();
    await server.goDown();
    await expect(store.ping()).rejects.toBeInstanceOf(StoreUnavailable);
    const failure: unknown = await store.ping().catch((reason: unknown) => reason);
    await store.close();
    expect(failure).toBeInstanceOf(StoreUnavailable);
    // In a cluster it would have been given up, and every node asked for its members.
    expect(String((failure as Error).cause)).not.toContain('no node');
  });
});
