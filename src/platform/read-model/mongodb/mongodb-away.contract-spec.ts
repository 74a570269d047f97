import { type Socket } from 'node:net';
import { MongoClient } from 'mongodb';
import { eventually } from '../../../../test/support/eventually';
import { inDatabase } from '../../../../test/support/instances';
import { describeWithMongo } from '../../../../test/support/mongodb';
import { startMongoProxy } from '../../../../test/support/mongodb-proxy';
import { type TcpProxy } from '../../../../test/support/tcp-proxy';
import { StoreUnavailable } from '../../event-store/event-store.port';
import { newId } from '../../../kernel/ids';
import { type ReadModelStore } from '../read-model.port';
import { openMongoReadModel } from './mongodb-read-model';

type Watched = Readonly<{ requestCheck(): void; monitor: Readonly<{ connection: Readonly<{ socket: Socket }> }> }>;
type Insides = Readonly<{ topology: Readonly<{ s: Readonly<{ servers: ReadonlyMap<string, Watched> }> }> }>;

describeWithMongo('MongoDB read model whose server goes away and comes back', (url) => {
  const database = `svc_test_${newId('req').slice(-12)}`;
  let proxy: TcpProxy;
  let store: ReadModelStore;
  /** The store's first client. */
  let client: MongoClient;

  beforeEach(async () => {
    const proxied = await startMongoProxy(url);
    proxy = proxied.proxy;
    const connect = jest.spyOn(MongoClient.prototype, 'connect');
    store = await openMongoReadModel(inDatabase(proxied.url, database), { answerWithinMs: 2_500 });
    await store.ping();
    client = connect.mock.contexts[0];
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await store.close();
    await proxy.stop();
    const other = await MongoClient.connect(url);
    await other.db(database).dropDatabase();
    await other.close();
  });

  const answers = (): Promise<boolean> =>
    store.ping().then(
      () => true,
      () => false,
    );

  it('is found again by the next call, even if the driver has lost it permanently', async () => {
    const [server] = [...(client as unknown as Insides).topology.s.servers.values()] as [Watched];
    // The driver writes its check of the server to a socket that ends at that moment, and waits for the answer forever.
    const looking = new Promise((resolve) => client.once('serverHeartbeatStarted', resolve));
    client.once('serverHeartbeatStarted', () => server.monitor.connection.socket.destroy());
    server.requestCheck();
    await looking;
    proxy.cut();
    await expect(store.ping()).rejects.toBeInstanceOf(StoreUnavailable);
    await eventually(answers, Boolean, 'an answer');
    expect((await store.state()).position).toBe(0n);
  });

  it('is found again after it refused connections for a while, by one client after another', async () => {
    await proxy.refuse();
    proxy.cut();
    for (let call = 0; call < 3; call += 1) await expect(store.ping()).rejects.toBeInstanceOf(StoreUnavailable);
    await proxy.accept();
    await eventually(answers, Boolean, 'an answer');
  });
});
