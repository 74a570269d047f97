import { randomBytes } from 'node:crypto';
import { MongoClient, type Document as MongoDocument } from 'mongodb';
import { collection, type Document } from '../../../projections/projection';
import { describeWithMongo } from '../../../test/support/mongodb';
import { startTcpProxy, type TcpProxy } from '../../../test/support/tcp-proxy';
import { StoreUnavailable } from '../../event-store/event-store.port';
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

  describe('what lies in MongoDB', () => {
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

    it('loses indexes of ours that are declared no longer or otherwise, and keeps those of others', async () => {
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

    it('lies in the database that the URL names', async () => {
      const named = await openMongoReadModel(url.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]*)\/?[^?]*/, `$1/${database}`));
      await named.apply([write('from-the-url', 1n)], 1n);
      await named.close();
      expect(await ours().countDocuments({ _id: 'from-the-url' })).toBe(1);
    });
  });

  describe('behind a connection that breaks', () => {
    let proxy: TcpProxy;
    let behind: ReadModelStore;
    beforeEach(async () => {
      const through = new URL(url);
      proxy = await startTcpProxy(Number(through.port || 27017), through.hostname);
      through.host = `127.0.0.1:${proxy.port}`;
      through.searchParams.set('directConnection', 'true');
      behind = await openMongoReadModel(through.href, { database, answerWithinMs: 400 });
    });
    afterEach(async () => {
      await behind.close();
      await proxy.stop();
    });

    const untilAnswered = async (): Promise<void> => {
      for (;;) {
        const answer = await behind.ping().then(
          () => true,
          (error: unknown) => error,
        );
        if (answer === true) return;
        expect(answer).toBeInstanceOf(StoreUnavailable);
      }
    };

    it('is there as soon as the server is, though it was away at first', async () => {
      await proxy.refuse();
      await expect(behind.get(things, 'a')).rejects.toThrow(StoreUnavailable);
      await expect(behind.apply([write('a', 1n)], 1n)).rejects.toThrow(StoreUnavailable);
      await proxy.accept();
      await untilAnswered();
      await behind.apply([write('a', 1n)], 1n);
      expect(await behind.get(things, 'a')).toEqual({ id: 'a' });
    });

    it('refuses while the server is silent or cut off, and goes on afterwards', async () => {
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

    it('mends an apply whose answer was lost by repeating it', async () => {
      const batch = [write('a', 1n), write('b', 2n, others), write('c', 3n)];
      await behind.ping();
      proxy.pause('answers');
      await expect(behind.apply(batch, 3n)).rejects.toThrow(StoreUnavailable);
      proxy.resume();
      await untilAnswered();
      await behind.apply(batch, 3n);
      expect(await behind.checkpoint()).toBe(3n);
      const loaded = await behind.load(
        batch.map(({ collection: target, document: { id } }) => ({ collection: target, id })),
      );
      expect(loaded.map((one) => one?.position)).toEqual([1n, 2n, 3n]);
    });
  });

  it('stores each write only after those before it, the checkpoint last', async () => {
    // Whatever a reader sees while batches are applied, it sees a beginning of them: so does one who comes after a crash.
    const batches = Array.from({ length: 30 }, (_, at) => BigInt(at + 1));
    let applying = true;
    const last = { first: things, second: others, third: things };
    /** Positions from the last written to the first: read in this order they can only grow. */
    const seen = async (): Promise<bigint[]> => {
      const positions = [await store.checkpoint()];
      for (const id of ['third', 'second', 'first'] as const) {
        const [stored] = await store.load([{ collection: last[id], id }]);
        positions.push(stored?.position ?? 0n);
      }
      return positions;
    };
    const watch = async (): Promise<void> => {
      while (applying) {
        const positions = await seen();
        expect(positions).toEqual([...positions].sort((one, other) => Number(one - other)));
      }
    };
    const watching = watch();
    for (const position of batches) {
      const [first, second, third] = [
        write('first', position),
        write('second', position, others),
        write('third', position),
      ];
      await store.apply([first, second, third], position);
    }
    applying = false;
    await watching;
    expect(await seen()).toEqual([30n, 30n, 30n, 30n]);
  });

  it('creates a document once when writers race, and the newest wins', async () => {
    const writers = await Promise.all(Array.from({ length: 4 }, () => openMongoReadModel(url, { database })));
    const positions = Array.from({ length: 40 }, (_, at) => BigInt(((at * 17) % 40) + 1));
    await Promise.all(
      positions.map((position, at) =>
        writers[at % 4]?.apply([write('a', position), write(`b${position}`, position)], position),
      ),
    );
    await Promise.all(writers.map((writer) => writer.close()));
    expect((await store.load([{ collection: things, id: 'a' }]))[0]?.position).toBe(40n);
    expect(await ours().countDocuments()).toBe(41);
    expect(await store.checkpoint()).toBe(40n);
  });
});
