import { promises as dns } from 'node:dns';
import { BSON } from 'mongodb';
import { collection } from '../projection';
import {
  failed,
  found,
  type Script,
  startMongoWire,
  type WireServer,
} from '../../../../test/support/mongodb-wire/server';
import { StoreUnavailable } from '../../event-store/event-store.port';
import { type ReadModelStore } from '../read-model.port';
import { MongoPersonalKeyStore } from './mongodb-personal-key-store';
import { openMongoReadModel } from './mongodb-read-model';

const things = collection('things', { by_status: { equals: ['status'] } });
const DUPLICATE = { n: 0, writeErrors: [{ index: 0, code: 11000, errmsg: 'E11000 duplicate key' }] };

/** What a lone server cannot be made to show: failovers, routers, servers that count in 64 bits. */
describe('MongoDB on its bad days', () => {
  const undo: (() => Promise<unknown>)[] = [];
  let server: WireServer;
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  const open = async (script: Script): Promise<ReadModelStore> => {
    server = await startMongoWire(script);
    undo.push(() => server.stop());
    const store = await openMongoReadModel(server.url, { answerWithinMs: 20_000 });
    undo.push(() => store.close());
    return store;
  };
  const namesOf = (): string[] => server.commands.map(({ name }) => name);

  describe('keeping a personal key', () => {
    const keyStoreOn = async (script: Script): Promise<MongoPersonalKeyStore> => {
      server = await startMongoWire(script);
      const keyStore = new MongoPersonalKeyStore(server.url);
      undo.push(
        () => server.stop(),
        () => keyStore.close(),
      );
      return keyStore;
    };
    const levelOf = (body: Readonly<Record<string, unknown>>): unknown =>
      (body['readConcern'] as { level?: unknown } | undefined)?.level;

    it('returns no key that a failover can roll back', async () => {
      const uncommitted = { _id: 'mac_1', key_id: 'k1', wrapped: 'w1', destroyed_at: null };
      let updates = 0;
      const keyStore = await keyStoreOn(({ name, body }) => {
        if (name === 'update')
          return (updates += 1) === 1
            ? { n: 1, upserted: [{ index: 0, _id: 'mac_1' }], writeConcernError: { code: 64, errmsg: 'waiting' } }
            : DUPLICATE;
        if (name !== 'find') return {};
        return found('read_model_personal_keys', levelOf(body) === 'majority' ? [] : [uncommitted]);
      });
      await expect(keyStore.keep('mac_1', 'k1', 'w1')).rejects.toBeInstanceOf(StoreUnavailable);
      await expect(keyStore.keep('mac_1', 'k2', 'w2')).rejects.toBeInstanceOf(StoreUnavailable);
      expect(await keyStore.find('mac_1')).toBeUndefined();
    });

    it('waits for a key that another writer stored at the same time, and returns that one', async () => {
      const theirs = { _id: 'mac_1', key_id: 'k1', wrapped: 'w1', destroyed_at: null };
      let looks = 0;
      const keyStore = await keyStoreOn(({ name }) => {
        if (name === 'update') return DUPLICATE;
        return name === 'find' ? found('read_model_personal_keys', (looks += 1) > 3 ? [theirs] : []) : {};
      });
      expect(await keyStore.keep('mac_1', 'k2', 'w2')).toEqual({ keyId: 'k1', wrapped: 'w1' });
    });
  });

  it.each([24, 43, 46, 63, 112, 133, 150, 202, 237, 365, 11601, 13388])(
    'says of code %d that it is away for now',
    async (code) => {
      const store = await open(({ name }) => (name === 'find' ? failed(code) : {}));
      await expect(store.get(things, 'a')).rejects.toBeInstanceOf(StoreUnavailable);
    },
  );

  it.each([
    [1, 'failed to connect to backend: dial tcp 10.0.0.1:5432: connect: connection refused'],
    [8, 'shard rs1 is unavailable'],
  ])('reports unavailability if the backend of a router is unavailable (code %d)', async (code, message) => {
    const store = await open(({ name }) => (name === 'find' ? failed(code, message) : {}));
    await expect(store.get(things, 'a')).rejects.toBeInstanceOf(StoreUnavailable);
  });

  it('reports unavailability if the collection was dropped during an index build', async () => {
    const NAMESPACE_NOT_FOUND = 26;
    const store = await open(({ name }) => {
      if (name === 'listIndexes') return failed(NAMESPACE_NOT_FOUND);
      return name === 'createIndexes' ? failed(276) : { n: 1 };
    });
    await expect(store.prepare([things])).rejects.toBeInstanceOf(StoreUnavailable);
  });

  it.each([
    [2, 'bad value'],
    [100, 'not enough data-bearing nodes'],
  ])('does not report a configuration mistake as unavailability (code %d)', async (code, message) => {
    const store = await open(({ name }) => (name === 'find' ? failed(code, message) : {}));
    const found = store.get(things, 'a');
    await expect(found).rejects.toThrow(message);
    await expect(found).rejects.not.toBeInstanceOf(StoreUnavailable);
  });

  it('reports unavailability if DNS does not resolve its name, at the start and later', async () => {
    const servers = dns.getServers();
    dns.setServers(['127.0.0.1:1']);
    undo.push(async () => dns.setServers(servers));
    const store = await openMongoReadModel('mongodb+srv://mongodb.example.test/svc', { answerWithinMs: 500 });
    undo.push(() => store.close());
    for (let call = 0; call < 2; call += 1) await expect(store.ping()).rejects.toBeInstanceOf(StoreUnavailable);
  });

  it('renews its lease in time while more reads wait than there are connections', async () => {
    const store = await open(({ name, body }) => {
      if (name === 'find' && body['find'] === 'things') return undefined;
      if (name === 'find') return found('read_model_state', [{ _id: 'lease', holder: 'one', beat: 7 }]);
      return { value: { _id: 'lease', holder: 'one', beat: 8 } };
    });
    // They end with the store.
    const reads = Promise.allSettled(Array.from({ length: 500 }, () => store.get(things, 'a')));
    let isOver = false;
    void reads.then(() => (isOver = true));
    expect(await store.lease?.read()).toEqual({ holder: 'one', beat: 7 });
    expect(await store.lease?.replace({ holder: 'one', beat: 7 }, { holder: 'one', beat: 8 })).toBe(true);
    expect(isOver).toBe(false);
  });

  it('gets one command for all leases renewed at once, and all of them hear if it failed', async () => {
    const store = await open(({ name }) => {
      if (name !== 'findAndModify') return {};
      const commands = server.commands.filter((command) => command.name === name).length;
      const seen = { _id: 'lease', holder: 'one', beat: 8, entries: { p1: { holder: 'one', beat: 3 } } };
      return commands === 1 ? { value: seen } : failed(2, 'bad value');
    });
    const renew = async (beat: number) => {
      const next = { holder: 'one', beat: beat + 1 };
      const both = [store.lease?.replace({ holder: 'one', beat }, next), store.lease?.shares.replace([p1])];
      return Promise.allSettled(both.map((one) => Promise.resolve<unknown>(one)));
    };
    const p1 = { name: 'p1', seen: undefined, next: { holder: 'one', beat: 3 } };
    expect(await renew(7)).toEqual([
      { status: 'fulfilled', value: true },
      { status: 'fulfilled', value: new Map([['p1', p1.next]]) },
    ]);
    expect((await renew(8)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(namesOf().filter((name) => name === 'findAndModify')).toHaveLength(2);
  });

  it('can count in 64 bits', async () => {
    const one = BSON.Long.fromNumber(1);
    const entry = { _id: 'lease', holder: 'one', beat: BSON.Long.fromNumber(7) };
    const store = await open(({ name }) =>
      name === 'find' ? found('read_model_state', [entry]) : { lastErrorObject: { n: one }, value: entry },
    );
    const seen = await store.lease?.read();
    expect(seen).toEqual({ holder: 'one', beat: 7 });
    expect(await store.lease?.replace({ holder: 'one', beat: 7 }, { holder: 'one', beat: 8 })).toBe(true);
  });

  it('is read with majority read concern where other instances rely on the result', async () => {
    const store = await open(({ name }) => (name === 'find' ? found('read_model_state', []) : {}));
    await Promise.all([store.state(), store.bookmark('r')]);
    const concerns = server.commands.filter(({ name }) => name === 'find').map(({ body }) => body['readConcern']);
    expect(concerns).toEqual(Array(2).fill({ level: 'majority' }));
  });

  it.each([64, 189, 11602])('does not go on after writes that a failover can take back (code %d)', async (code) => {
    let updates = 0;
    const store = await open(({ name }) => {
      if (name === 'find') return found('things', [{ _id: 'b', position: BSON.Long.fromNumber(9) }]);
      // The first is written here alone, the second was there: without the first there must be no checkpoint.
      const refused = { n: 1, writeErrors: [{ index: 1, code: 11000, errmsg: 'E11000 duplicate key' }] };
      return (updates += 1) === 1 ? { ...refused, writeConcernError: { code, errmsg: 'not replicated' } } : { n: 1 };
    });
    const writes = ['a', 'b'].map((id) => ({ collection: things, document: { id }, position: 1n }));
    await expect(store.apply(writes, 1n)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(updates).toBe(1);
  });

  describe('with an index that an operator created', () => {
    const on = (index: object): Script => {
      const indexes = [
        { v: 2, key: { _id: 1 }, name: '_id_' },
        { v: 2, name: 'by_hand', ...index },
      ];
      return ({ name }) => {
        if (name === 'listIndexes') return found('things', indexes);
        return name === 'createIndexes' ? failed(85, 'an equivalent index exists') : { n: 1, nModified: 1 };
      };
    };
    const key = { 'document.status': 1, _id: 1 };

    it('needs no second one if it is equal', async () => {
      const store = await open(on({ key }));
      await store.prepare([things]);
      expect(namesOf()).not.toContain('createIndexes');
    });

    it('starts even if that one conflicts with ours', async () => {
      const store = await open(on({ key, sparse: true }));
      await store.prepare([things]);
      expect(namesOf()).toContain('createIndexes');
    });
  });
});
