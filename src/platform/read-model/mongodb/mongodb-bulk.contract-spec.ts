import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { readModelContract, type TextOrder } from '../../../../test/contract/read-model.contract';
import { describeWithMongo, textOrderOf } from '../../../../test/support/mongodb';
import { type BulkFront, startBulkFront } from '../../../../test/support/mongodb-wire/bulk-front';
import { openMongoReadModel } from './mongodb-read-model';

/** Only the writes differ from mongodb-read-model.contract-spec.ts, which tries more. */
const RUNS = 25;

/** As on MongoDB 8, which takes the writes of a batch in one command across all collections. */
describeWithMongo('MongoDB with bulk writes over several collections', (mongoUrl) => {
  const admin = new MongoClient(mongoUrl);
  let front: BulkFront;
  let textOrder: TextOrder;
  beforeAll(async () => {
    textOrder = await textOrderOf(admin);
    front = await startBulkFront(mongoUrl);
  });
  afterAll(async () => {
    expect(front.bulks()).toBeGreaterThan(0);
    await front.stop();
    await admin.close();
  });

  readModelContract(
    'mongodb',
    'shared',
    async () => {
      const database = `test_${randomBytes(8).toString('hex')}`;
      // The front carries out the writes of a batch one after another.
      const options = { database, answerWithinMs: 20_000 };
      let store = await openMongoReadModel(front.url, options);
      return {
        store,
        textOrder,
        reopen: async () => {
          await store.close();
          return (store = await openMongoReadModel(front.url, options));
        },
        close: async () => {
          await store.close();
          await admin.db(database).dropDatabase();
        },
      };
    },
    RUNS,
  );
});
