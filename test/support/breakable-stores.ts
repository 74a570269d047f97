import { MongoClient } from 'mongodb';
import { openEventStoreDb } from '../../src/platform/event-store/eventstoredb/eventstoredb-store';
import { type EventStore } from '../../src/platform/event-store/event-store.port';
import { newId } from '../../src/kernel/ids';
import { openBreakableEngine } from './eventstoredb/harness';
import { inDatabase } from './instances';
import { startTcpProxy, type TcpProxy } from './tcp-proxy';

export type BreakableStores = Readonly<{
  /** The settings of a service that reaches both stores through the proxies. */
  env: Readonly<Record<string, string>>;
  eventStore: TcpProxy;
  readStore: TcpProxy;
  /** The log itself, past its proxy. */
  log: EventStore;
  close(): Promise<void>;
}>;

/** EventStoreDB and MongoDB, each behind a connection that a test can break. */
export async function openBreakableStores(mongoUrl: string): Promise<BreakableStores> {
  const engine = await openBreakableEngine();
  const [, host = '127.0.0.1', port = '27017'] = /^mongodb:\/\/(?:[^@/]+@)?([^:/?,]+)(?::(\d+))?/.exec(mongoUrl) ?? [];
  const readStore = await startTcpProxy(Number(port), host);
  const database = `svc_test_${newId('req').slice(-12)}`;
  const throughProxy = mongoUrl.replace(/(\/\/(?:[^@/]+@)?)[^/?]+/, `$1127.0.0.1:${readStore.port}`);
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

/** What can happen to a store on the network, as seen from here. */
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
    // It goes on writing what it is told, and nobody hears of it.
    name: 'unheard, and then cut off',
    begin: async (proxy) => proxy.pause('answers'),
    end: async (proxy) => {
      proxy.cut();
      proxy.resume();
    },
  },
];
