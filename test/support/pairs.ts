import { MongoClient } from 'mongodb';
import { newId } from '../../src/kernel/ids';
import { startEventStoreDb, type TestEventStoreDb } from './eventstoredb/server';
import { describeWithMongo } from './mongodb';
import { startTestService, type TestService } from './service';

type Options = NonNullable<Parameters<typeof startTestService>[0]>;
export type Start = (options?: Options) => Promise<TestService>;
export type Pair = 'embedded' | 'engines';

/** The same suite on the embedded stores and on EventStoreDB with MongoDB: whatever works on one works on the other. */
export function describeOnEachPair(name: string, suite: (start: Start, pair: Pair) => void): void {
  describe(`${name} (embedded stores)`, () => suite(startTestService, 'embedded'));

  describeWithMongo(`${name} (EventStoreDB and MongoDB)`, (mongoUrl) => {
    const database = `svc_test_${newId('req').slice(-12)}`;
    const readStoreUrl = mongoUrl.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)\/?[^?]*/, `$1/${database}`);
    let engine: TestEventStoreDb | undefined;

    beforeAll(async () => {
      if (!process.env['TEST_EVENTSTORE_URL']) engine = await startEventStoreDb();
    });
    afterAll(async () => {
      await engine?.stop();
      const client = await MongoClient.connect(mongoUrl);
      await client.db(database).dropDatabase();
      await client.close();
    });

    const start: Start = ({ env = {}, ...options } = {}) =>
      startTestService({
        ...options,
        env: {
          EVENT_STORE: 'eventstoredb',
          EVENTSTORE_URL: process.env['TEST_EVENTSTORE_URL'] ?? engine?.url ?? '',
          READ_STORE: 'mongodb',
          MONGODB_URL: readStoreUrl,
          SERVICE_SECRET: 'only-for-tests-only-for-tests-only-for-tests',
          ...env,
        },
      });
    suite(start, 'engines');
  });
}
