import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { readModelContract } from '../../../../test/contract/read-model.contract';
import { describeWithMongo } from '../../../../test/support/mongodb';
import { openMongoReadModel } from './mongodb-read-model';

describeWithMongo('MongoDB read model', (url) => {
  const admin = new MongoClient(url);
  afterAll(() => admin.close());

  readModelContract('mongodb', 'shared', async () => {
    const database = `test_${randomBytes(8).toString('hex')}`;
    let store = await openMongoReadModel(url, { database });
    return {
      store,
      reopen: async () => {
        await store.close();
        return (store = await openMongoReadModel(url, { database }));
      },
      close: async () => {
        await store.close();
        await admin.db(database).dropDatabase();
      },
    };
  });
});
