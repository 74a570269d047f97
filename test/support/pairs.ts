import { basename } from 'node:path';
import { MongoClient } from 'mongodb';
import { newId } from '../../src/kernel/ids';
import { startEventStoreDb, type TestEventStoreDb } from './eventstoredb/server';
import { describeWithMongo } from './mongodb';
import { startTestService, type TestService } from './service';

type Options = NonNullable<Parameters<typeof startTestService>[0]>;
export type Start = (options?: Options) => Promise<TestService>;
export type Pair = 'embedded' | 'engines';

/**
 * The main flows and every feed: these suites always run on the engines too. The others mostly test rules above the
 * stores, and run on the engines with `npm run test:engines`.
 */
export const MAIN_FLOWS: ReadonlySet<string> = new Set([
  'agent-auth',
  'agent-payment-settling',
  'agents',
  'agent-payments',
  'audit-events',
  'audit-forget',
  'audit-proofs',
  'audit-rebuild',
  'audit-verify',
  'connect',
  'connections',
  'device-events',
  'merchant-access',
  'merchant-domains',
  'merchant-events',
  'merchant-session-list',
  'merchants',
  'one-winner',
  'pairing',
  'payees',
  'payment-request-duplicates',
  'payment-request-reads',
  'payment-request-search',
  'payment-requests',
  'payment-timeline',
  'read-your-write',
  'recipients',
  'service-secret',
  'settlement',
  'settlement-claims',
  'transaction-contexts',
  'unknown-outcome',
  'upcast',
  'wallet-devices',
  'webhook-dispatcher',
  'webhook-records',
  'webhook-recovery',
  'webhook-rewinds',
  'webhooks',
]);

const isMainFlow = (): boolean => MAIN_FLOWS.has(basename(expect.getState().testPath ?? '', '.e2e-spec.ts'));

/** The same suite on the embedded stores and on EventStoreDB with MongoDB: what works on one works on the other. */
export function describeOnEachPair(name: string, suite: (start: Start, pair: Pair) => void): void {
  describe(`${name} (embedded stores)`, () => suite(startTestService, 'embedded'));
  if (process.env['TEST_PAIRS'] !== 'all' && !isMainFlow()) return;

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
