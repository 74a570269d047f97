import { createServer, type AddressInfo, type Socket } from 'node:net';
import { collection } from '../projection';
import { StoreUnavailable } from '../../event-store/event-store.port';
import { type ReadModelStore } from '../read-model.port';
import { pause } from '../../../kernel/pause';
import { openMongoReadModel } from './mongodb-read-model';

const things = collection('things', { all: { equals: [] } });
const write = { collection: things, document: { id: 'a' }, position: 1n };

const calls: Record<string, (store: ReadModelStore) => Promise<unknown>> = {
  get: (store) => store.get(things, 'a'),
  find: (store) => store.find(things, 'all', [], { limit: 1 }),
  load: (store) => store.load([{ collection: things, id: 'a' }]),
  dump: async (store) => store.dump(things)[Symbol.asyncIterator]().next(),
  state: (store) => store.state(),
  bookmark: (store) => store.bookmark('r'),
  apply: (store) => store.apply([write], 1n),
  'an empty apply': (store) => store.apply([], 1n),
  setBookmark: (store) => store.setBookmark('r', 1n),
  prepare: (store) => store.prepare([things]),
  reset: (store) => store.reset('f'),
  'looking at the lease': async (store) => store.lease?.read(),
  'taking the lease': async (store) => store.lease?.replace({ holder: null, beat: 0 }, { holder: 'a', beat: 1 }),
  ping: (store) => store.ping(),
};

/** Takes connections and never says a word; or, stopped, refuses them. */
async function silentServer(): Promise<Readonly<{ port: number; stop: () => Promise<void> }>> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    sockets.forEach((socket) => socket.destroy());
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as AddressInfo).port, stop };
}

describe('MongoDB read model without its server', () => {
  let store: ReadModelStore;
  afterEach(() => store.close());

  const namesOfRefused = async (): Promise<string[]> => {
    const refused: string[] = [];
    for (const [name, call] of Object.entries(calls)) {
      const error: unknown = await call(store).catch((thrown: unknown) => thrown);
      if (error instanceof StoreUnavailable && error.outcome === 'unknown' && error.cause instanceof Error)
        refused.push(name);
    }
    return refused;
  };

  it('opens, and rejects every call with StoreUnavailable if nothing listens', async () => {
    const { port, stop } = await silentServer();
    await stop();
    store = await openMongoReadModel(`mongodb://127.0.0.1:${port}/`, { answerWithinMs: 60 });
    expect(await namesOfRefused()).toEqual(Object.keys(calls));
  });

  it('rejects every call with StoreUnavailable if the server accepts connections and is silent', async () => {
    const { port, stop } = await silentServer();
    store = await openMongoReadModel(`mongodb://127.0.0.1:${port}/`, { answerWithinMs: 60 });
    expect(await namesOfRefused()).toEqual(Object.keys(calls));
    await store.close();
    await stop();
  });

  it('closes without waiting for a server that is silent, and rejects the calls that wait', async () => {
    const { port, stop } = await silentServer();
    store = await openMongoReadModel(`mongodb://127.0.0.1:${port}/`, { answerWithinMs: 3_600_000 });
    const waiting = store.state().catch((error: unknown) => error);
    await pause(50);
    await store.close();
    expect(await waiting).toBeInstanceOf(StoreUnavailable);
    await stop();
  });

  it('does not repeat an unusable URL', async () => {
    store = await openMongoReadModel('mongodb://127.0.0.1:1/', { answerWithinMs: 60 });
    for (const url of [
      'mongodb://svc:geheim@a:b:c/',
      'http://svc:geheim@host/',
      'mongodb://svc:geheim@host/?w=banana&x=1',
    ])
      await expect(openMongoReadModel(url)).rejects.toThrow(/^MONGODB_URL is not a valid MongoDB connection string$/);
  });
});
