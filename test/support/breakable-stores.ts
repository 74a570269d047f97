import { MongoClient } from 'mongodb';
import { openEventStoreDb } from '../../src/platform/event-store/eventstoredb/eventstoredb-store';
import { type EventStore } from '../../src/platform/event-store/event-store.port';
import { newId } from '../../src/kernel/ids';
import { openBreakableEngine } from './eventstoredb/harness';
import { inDatabase } from './instances';
import { startMongoProxy } from './mongodb-proxy';
import { type TcpProxy } from './tcp-proxy';

export type BreakableStores = Readonly<{
  /** The settings of a service that reaches both stores through the proxies. */
  env: Readonly<Record<string, string>>;
  eventStore: TcpProxy;
  readStore: TcpProxy;
  /** The log itself, bypassing the proxy. */
  log: EventStore;
  close(): Promise<void>;
}>;

/** EventStoreDB and MongoDB, each behind a connection that a test can break. */
export async function openBreakableStores(mongoUrl: string): Promise<BreakableStores> {
  const engine = await openBreakableEngine();
  const { proxy: readStore, url: throughProxy } = await startMongoProxy(mongoUrl);
  const database = `svc_test_${newId('req').slice(-12)}`;
  const log = await openEventStoreDb(engine.directUrl);
  return {
    env: {
      EVENT_STORE: 'eventstoredb',
      EVENTSTORE_URL: engine.url,
      READ_STORE: 'mongodb',
      MONGODB_URL: inDatabase(throughProxy, database),
      SERVICE_SECRET: 'only-for-tests-only-for-tests-only-for-tests',
      LOG_LEVEL: 'silent',
    },
    eventStore: engine.proxy,
    readStore,
    log,
    close: async () => {
      await log.close();
      await readStore.stop();
      await engine.stop();
      const client = await MongoClient.connect(mongoUrl);
      await client.db(database).dropDatabase();
      await client.close();
    },
  };
}

export type Fault = Readonly<{
  name: string;
  begin(proxy: TcpProxy): Promise<void>;
  end(proxy: TcpProxy): Promise<void>;
}>;

/** What can happen to a store on the network, as the service sees it. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'stopped',
    begin: async (proxy) => {
      await proxy.refuse();
      proxy.cut();
    },
    end: (proxy) => proxy.accept(),
  },
  { name: 'frozen', begin: async (proxy) => proxy.pause(), end: async (proxy) => proxy.resume() },
  {
    // It keeps writing what it is sent, but no response gets through.
    name: 'unheard, and then cut off',
    begin: async (proxy) => proxy.pause('answers'),
    end: async (proxy) => {
      proxy.cut();
      proxy.resume();
    },
  },
];
