import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { personalKeyStoreContract } from '../../../../test/contract/personal-key-store.contract';
import { readModelContract, type TextOrder } from '../../../../test/contract/read-model.contract';
import { inDatabase } from '../../../../test/support/instances';
import { describeWithMongo, textOrderOf } from '../../../../test/support/mongodb';
import { startMongoProxy } from '../../../../test/support/mongodb-proxy';
import { type ReplicaSet, startReplicaSetFront } from '../../../../test/support/mongodb-wire/replica-set';
import { MongoPersonalKeyStore } from './mongodb-personal-key-store';
import { openMongoReadModel } from './mongodb-read-model';

/** Only the connection differs from mongodb-read-model.contract-spec.ts, which tries many more. */
const RUNS = 10;

/** Several hosts, credentials that need escaping, the name of a set: like connection strings in production. */
describeWithMongo('MongoDB by the address of a replica set', (mongoUrl) => {
  const database = `test_${randomBytes(8).toString('hex')}`;
  const names = [database];
  let front: ReplicaSet;
  let textOrder: TextOrder;
  beforeAll(async () => {
    front = await startReplicaSetFront(mongoUrl);
    const client = await MongoClient.connect(mongoUrl);
    textOrder = await textOrderOf(client);
    await client.close();
  });
  afterAll(async () => {
    await front.stop();
    const client = await MongoClient.connect(mongoUrl);
    for (const name of names) await client.db(name).dropDatabase();
    await client.close();
  });

  readModelContract(
    'MongoDB as a replica set',
    'shared',
    async () => {
      const own = `test_${randomBytes(8).toString('hex')}`;
      names.push(own);
      const open = () => openMongoReadModel(inDatabase(front.url, own));
      let store = await open();
      return {
        store,
        textOrder,
        reopen: async () => {
          await store.close();
          return (store = await open());
        },
        close: () => store.close(),
      };
    },
    RUNS,
  );

  personalKeyStoreContract(
    'MongoDB as a replica set',
    () => new MongoPersonalKeyStore(inDatabase(front.url, database)),
  );

  it('is reached through a proxy at its primary, with the same credentials', async () => {
    const { proxy, url } = await startMongoProxy(front.url);
    const store = await openMongoReadModel(inDatabase(url, database), { answerWithinMs: 2_500 });
    await store.setBookmark('r', 7n);
    expect(await store.bookmark('r')).toBe(7n);
    proxy.cut();
    await proxy.refuse();
    await expect(store.bookmark('r')).rejects.toThrow('store_unavailable');
    await store.close();
    await proxy.stop();
  });
});
