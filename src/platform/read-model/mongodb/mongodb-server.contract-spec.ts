import { randomBytes } from 'node:crypto';
import { MongoClient, type Document as MongoDocument } from 'mongodb';
import { collection, type Document } from '../projection';
import { describeWithMongo } from '../../../../test/support/mongodb';
import { recordCommands } from '../../../../test/support/mongodb-commands';
import { startMongoProxy } from '../../../../test/support/mongodb-proxy';
import { type TcpProxy } from '../../../../test/support/tcp-proxy';
import { StoreUnavailable } from '../../event-store/event-store.port';
import { pause } from '../../../kernel/pause';
import { type DocumentWrite, type ReadModelStore } from '../read-model.port';
import { openMongoReadModel } from './mongodb-read-model';

type Thing = Document & Readonly<Record<string, unknown>>;
const indexes = {
  by_status: { equals: ['status'], sort: 'rank' },
  'by-dotted': { equals: ['a.b'] },
  all: { equals: [] },
};
const things = collection<Thing>('things', indexes);
const others = collection<Thing>('others');
const write = (id: string, position: bigint, target = things): DocumentWrite => ({
  collection: target,
  document: { id },
  position,
});

describeWithMongo('MongoDB read model on its server', (url) => {
  const admin = new MongoClient(url);
  let database: string;
  let store: ReadModelStore;
  beforeEach(async () => {
    database = `test_${randomBytes(8).toString('hex')}`;
    store = await openMongoReadModel(url, { database });
    await store.prepare([things, others]);
  });
  afterEach(async () => {
    await store.close();
    await admin.db(database).dropDatabase();
  });
  afterAll(() => admin.close());

  const ours = (name = 'things') => admin.db(database).collection<MongoDocument & { _id: string }>(name);
  const indexNames = async () => (await ours().indexes()).map(({ name }) => name).sort();

  describe('what is stored in MongoDB', () => {
    it('is readable: fields by name, keys escaped only where they must be', async () => {
      const document = {
        id: 'a',
        status: 'open',
        list: [1, { 'a.b': 2.5 }],
        'a.b': 'x',
        '': { $gt: null, '100%': true },
      };
      await store.apply([{ collection: things, document, position: 7n }], 8n);
      expect(await ours().findOne({ 'document.status': 'open' })).toEqual({
        _id: 'a',
        position: 7,
        document: {
          id: 'a',
          status: 'open',
          list: [1, { 'a%2Eb': 2.5 }],
          'a%2Eb': 'x',
          '%': { '%24gt': null, '100%25': true },
        },
      });
      expect(await ours('read_model_state').findOne({ _id: 'checkpoint' })).toEqual({ _id: 'checkpoint', position: 8 });
    });

    it('has one named compound index for each declared one', async () => {
      const described = (await ours().indexes()).map(({ name, key }) => [name, Object.keys(key)]);
      expect(described.sort()).toEqual([
        ['_id_', ['_id']],
        ['read_model_things_by-dotted', ['document.a%2Eb', '_id']],
        ['read_model_things_by_status', ['document.status', 'document.rank', '_id']],
      ]);
    });

    it('loses our indexes that are no longer declared or declared differently, and keeps those of others', async () => {
      await ours().createIndex({ 'document.owner': 1 }, { name: 'added_by_hand' });
      await store.prepare([collection('things', { by_status: { equals: ['status'] } })]);
      expect(await indexNames()).toEqual(['_id_', 'added_by_hand', 'read_model_things_by_status']);
      await store.prepare([things]);
      expect(await indexNames()).toHaveLength(4);
    });

    it('has its indexes again after a reset, and leaves collections of others alone', async () => {
      await ours('leases').insertOne({ _id: 'projector' });
      await store.apply([write('a', 1n)], 1n);
      await store.reset('again');
      expect(await indexNames()).toHaveLength(3);
      expect(await ours('leases').countDocuments()).toBe(1);
    });

    it('is in the database that the URL names', async () => {
      const named = await openMongoReadModel(url.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]*)\/?[^?]*/, `$1/${database}`));
      await named.apply([write('from-the-url', 1n)], 1n);
      await named.close();
      expect(await ours().countDocuments({ _id: 'from-the-url' })).toBe(1);
    });
  });

  describe('behind a connection that breaks', () => {
    let proxy: TcpProxy;
    let behind: ReadModelStore;
    let throughProxy: string;
    beforeEach(async () => {
      ({ proxy, url: throughProxy } = await startMongoProxy(url));
      behind = await openMongoReadModel(throughProxy, { database, answerWithinMs: 2_500 });
    });
    afterEach(async () => {
      await behind.close();
      await proxy.stop();
    });

    const untilAnswered = async (): Promise<void> => {
      for (let attempt = 0; attempt < 100; attempt += 1) {
        const answer: unknown = await behind.ping().catch((error: unknown) => error);
        if (answer === undefined) return;
        expect(answer).toBeInstanceOf(StoreUnavailable);
        await pause(50);
      }
      throw new Error('it never answered again');
    };

    it('is available as soon as the server is, although it was unavailable at first', async () => {
      await proxy.refuse();
      await expect(behind.get(things, 'a')).rejects.toThrow(StoreUnavailable);
      await expect(behind.apply([write('a', 1n)], 1n)).rejects.toThrow(StoreUnavailable);
      await proxy.accept();
      await untilAnswered();
      await behind.apply([write('a', 1n)], 1n);
      expect(await behind.get(things, 'a')).toEqual({ id: 'a' });
    });

    it('fails while the server is silent or cut off, and works again afterwards', async () => {
      await behind.apply([write('a', 1n)], 1n);
      proxy.pause();
      await expect(behind.get(things, 'a')).rejects.toThrow(StoreUnavailable);
      await expect(behind.apply([write('b', 2n)], 2n)).rejects.toThrow(StoreUnavailable);
      proxy.resume();
      await untilAnswered();
      proxy.cut();
      await proxy.refuse();
      await expect(behind.load([{ collection: things, id: 'a' }])).rejects.toThrow(StoreUnavailable);
      await expect(behind.apply([write('b', 2n)], 2n)).rejects.toThrow(StoreUnavailable);
      await proxy.accept();
      await untilAnswered();
      await behind.apply([write('b', 2n)], 2n);
      expect(await behind.get(things, 'b')).toEqual({ id: 'b' });
    });

    it('reports an unknown outcome for an apply that was cut off, without its documents', async () => {
      const patient = await openMongoReadModel(throughProxy, { database });
      await patient.ping();
      proxy.pause('answers');
      const applying = patient.apply([write('a', 1n)], 1n).catch((error: unknown) => error);
      while ((await ours().countDocuments()) === 0) await pause(10);
      proxy.cut();
      const error = await applying;
      proxy.resume();
      await patient.close();
      expect(error).toBeInstanceOf(StoreUnavailable);
      expect((error as Error).cause).toMatchObject({ message: expect.stringContaining('write failed') });
      expect(Object.keys((error as Error).cause as Error)).toEqual([]);
    });

    it('repairs an apply whose response was lost by repeating it', async () => {
      const batch = [write('a', 1n), write('b', 2n, others), write('c', 3n)];
      await behind.ping();
      proxy.pause('answers');
      await expect(behind.apply(batch, 3n)).rejects.toThrow(StoreUnavailable);
      proxy.resume();
      await untilAnswered();
      await behind.apply(batch, 3n);
      // Read without the proxy, where a connection from before may still fail.
      expect((await store.state()).position).toBe(3n);
      const loaded = await store.load(
        batch.map(({ collection: target, document: { id } }) => ({ collection: target, id })),
      );
      expect(loaded.map((one) => one?.position)).toEqual([1n, 2n, 3n]);
    });
  });

  it('stores no write before those given earlier, and the checkpoint last', async () => {
    await ours('others').createIndex({ 'document.name': 1 }, { unique: true, name: 'added_by_hand' });
    const named = (id: string): DocumentWrite => ({
      collection: others,
      document: { id, name: 'one' } as Thing,
      position: 1n,
    });
    await store.apply([named('other')], 1n);
    await expect(store.apply([write('first', 2n), named('second'), write('third', 2n)], 2n)).rejects.toThrow();
    expect(await store.get(things, 'first')).toEqual({ id: 'first' });
    expect(await store.get(things, 'third')).toBeUndefined();
    expect((await store.state()).position).toBe(1n);
  });

  it('sets aside a document that is too large, reports it, and continues', async () => {
    const told: unknown[] = [];
    const telling = await openMongoReadModel(url, { database, onSetAside: (what) => told.push(what) });
    const text = 'x'.repeat(17 * 2 ** 20);
    await telling.apply([write('second', 1n)], 1n);
    const grown = { collection: things, document: { id: 'second', text }, position: 2n };
    await telling.apply([write('first', 2n), grown, write('third', 2n)], 2n);
    expect(told).toEqual([{ collection: 'things', id: 'second', bytes: expect.any(Number) }]);
    expect(await ours('read_model_state').countDocuments({ _id: 'set aside things/second' })).toBe(1);
    expect(await telling.get(things, 'second')).toEqual({ id: 'second' });
    expect(await telling.get(things, 'third')).toEqual({ id: 'third' });
    const never = { collection: things, document: { id: 'never', text }, position: 3n };
    await telling.apply([never], 3n);
    expect(await telling.getAll(things, ['third', 'never', 'first'])).toEqual([{ id: 'third' }, { id: 'first' }]);
    expect((await telling.state()).position).toBe(3n);
    await telling.reset('again');
    expect(await ours('read_model_state').countDocuments({ _id: 'set aside things/second' })).toBe(0);
    await telling.close();
  });

  it('passes over nothing while a reset takes away what was written', async () => {
    const ids = ['first', 'second', 'third'];
    await store.apply(
      ids.map((id) => write(id, 1n)),
      1n,
    );
    // As it is between the steps of a rebuild by another instance.
    await ours().deleteOne({ _id: 'second' });
    await expect(store.getAll(things, ids)).rejects.toThrow(StoreUnavailable);
    await expect(store.getAll(things, ids, 1_000)).rejects.toThrow(StoreUnavailable);
    for (const bytes of [0, 1]) expect(await store.getAll(things, ids, bytes)).toEqual([{ id: 'first' }]);
    await store.reset('again');
    await expect(store.getAll(things, ids)).rejects.toThrow(StoreUnavailable);
  });

  it('reads each time with a single command, also as much as it asked for', async () => {
    const commands = recordCommands();
    const withCommands = `${url}${url.includes('?') ? '&' : '?'}monitorCommands=true`;
    const watched = await openMongoReadModel(withCommands, { database });
    try {
      const ids = ['a', 'b', 'c'];
      const ranked = ids.map((id, rank) => ({
        collection: things,
        document: { id, status: 'open', rank },
        position: 1n,
      }));
      await watched.apply(ranked, 1n);
      const refs = ids.map((id) => ({ collection: things, id }));
      const reads: Readonly<Record<string, () => Promise<unknown>>> = {
        load: () => watched.load(refs),
        'load one': () => watched.load(refs.slice(1, 2)),
        getAll: () => watched.getAll(things, ids),
        find: () => watched.find(things, 'by_status', ['open'], { limit: 3 }),
        'find a part': () => watched.find(things, 'by_status', ['open'], { limit: 2 }),
        findEach: () => watched.findEach(things, 'by_status', [['open'], ['closed']], { limit: 2 }),
      };
      for (const [name, read] of Object.entries(reads)) {
        const mark = commands.mark();
        await read();
        expect([name, commands.since(mark)]).toEqual([name, ['find things']]);
      }
      const mark = commands.mark();
      await watched.apply(ranked, 1n);
      expect(commands.since(mark).filter((command) => command.startsWith('getMore'))).toEqual([]);
    } finally {
      commands.stop();
      await watched.close();
    }
  });

  it('uses an index that an operator created if it is equal', async () => {
    await store.prepare([collection('things', {})]);
    await ours().createIndex({ 'document.status': 1, 'document.rank': 1, _id: 1 }, { name: 'added_by_hand' });
    await store.prepare([things]);
    expect(await indexNames()).toEqual(['_id_', 'added_by_hand', 'read_model_things_by-dotted']);
  });

  it('creates a document once when writers race, and the newest wins', async () => {
    const writers = await Promise.all(Array.from({ length: 4 }, () => openMongoReadModel(url, { database })));
    const share = (own: number): bigint[] =>
      Array.from({ length: 10 }, (_, at) => BigInt(((at * 7) % 10) * 4 + own + 1));
    const applied = writers.flatMap((writer, own) =>
      share(own).map((position) => writer.apply([write('a', position), write(`b${position}`, position)], position)),
    );
    await Promise.all(applied);
    await Promise.all(writers.map((writer) => writer.close()));
    expect((await store.load([{ collection: things, id: 'a' }]))[0]?.position).toBe(40n);
    expect(await ours().countDocuments()).toBe(41);
    expect((await store.state()).position).toBe(40n);
  });
});
