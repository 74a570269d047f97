import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { creation, facts } from '../../src/capabilities/payment-requests/payment-request.fixtures';
import { SettlementWatcher } from '../../src/capabilities/settlement/settlement-watcher';
import { type PaymentRequestEvent } from '../../src/events/payment-request.events';
import { timestamp } from '../../src/kernel/clock';
import { newId } from '../../src/kernel/ids';
import { encodeEvents } from '../../src/platform/event-store/event-codec';
import { EVENT_STORE, type EventStore } from '../../src/platform/event-store/event-store.port';
import { Projector } from '../../src/platform/projecting/projector';
import { startTestService, type TestService } from '../support/service';
import { median, repeated, swcArguments, withServer } from './load';

const AMOUNT = '12.50';
const HORIZON = [...swcArguments, join(__dirname, 'servers', 'horizon.ts')];
const WRITERS = 64;
const context = { requestId: 'bench', actor: { kind: 'bench', id: 'bench' } };

/** Per second. */
export type SettlementRates = Readonly<{
  /** A transaction and its operations, read over one keep-alive connection, one after another. */
  looks: number;
  /** The same, with as much concurrency as the service uses. */
  looksAtOnce: number;
  /** Confirmations written to the log and readable, without lookups. */
  confirmations: number;
  /** From the confirmation to the settlement result, both durable and readable. */
  witnessed: number;
  /** A backlog of confirmations written before: looked up, compared, recorded. */
  fromBacklog: number;
}>;

/** A bare loop and the service query the same network server, in its own process, in turns. */
export const settlementRates = (confirmations = 10_000, rounds = 3): Promise<SettlementRates> =>
  withServer(HORIZON, { PAYEE: facts.address, AMOUNT }, (url) =>
    withWitness(url, async (service) => {
      await witness(service, 1_000);
      const found: SettlementRates[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const looks = await bareLooks(url, 1);
        const looksAtOnce = await bareLooks(url, WRITERS);
        const witnessed = await witness(service, confirmations);
        found.push({ looks, looksAtOnce, witnessed, ...(await drain(service, confirmations)) });
      }
      const of = (name: keyof SettlementRates): number => median(found.map((one) => one[name]));
      return {
        looks: of('looks'),
        looksAtOnce: of('looksAtOnce'),
        confirmations: of('confirmations'),
        witnessed: of('witnessed'),
        fromBacklog: of('fromBacklog'),
      };
    }),
  );

/** The floor: the requests of a lookup, with nothing compared or recorded. */
async function bareLooks(url: string, atOnce: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const read = (path: string): Promise<void> =>
    new Promise((resolve, reject) => {
      get(`${url}${path}`, { agent }, (answer) => answer.resume().on('end', resolve)).on('error', reject);
    });
  const hash = 'ab'.repeat(32);
  const rate = await repeated(async () => {
    await read(`/transactions/${hash}`);
    await read(`/transactions/${hash}/operations?limit=200`);
  }, atOnce);
  agent.destroy();
  return rate;
}

async function witness(service: TestService, count: number): Promise<number> {
  const ids = await broadcast(service, count);
  const done = seen(service, 'PaymentRequestSettlementObserved', count);
  const started = performance.now();
  await confirm(service, ids);
  await done;
  return count / ((performance.now() - started) / 1000);
}

async function drain(service: TestService, count: number) {
  const watcher = service.app.get(SettlementWatcher);
  await watcher.stop();
  const ids = await broadcast(service, count);
  const written = seen(service, 'PaymentRequestConfirmed', count);
  const began = performance.now();
  await confirm(service, ids);
  await written;
  const confirmations = count / ((performance.now() - began) / 1000);
  const done = seen(service, 'PaymentRequestSettlementObserved', count);
  const started = performance.now();
  watcher.start();
  await done;
  return { confirmations, fromBacklog: count / ((performance.now() - started) / 1000) };
}

/** Requests up to `broadcasted`; what they cost is not part of the measurement. */
async function broadcast(service: TestService, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => newId('pr'));
  const readable = seen(service, 'PaymentRequestBroadcasted', count);
  await append(service, ids, 0, (id) => [
    {
      type: 'PaymentRequestCreated',
      data: { ...creation, request_id: id, amount: AMOUNT, created_at: timestamp(new Date()) },
    },
    { type: 'PaymentRequestSigned', data: moved(id, 'pending') },
    { type: 'PaymentRequestBroadcasted', data: { ...moved(id, 'signed'), transaction_hash: hashOf(id) } },
  ]);
  await readable;
  return ids;
}

const confirm = (service: TestService, ids: readonly string[]): Promise<void> =>
  append(service, ids, 3, (id) => [
    {
      type: 'PaymentRequestConfirmed',
      data: { ...moved(id, 'broadcasted'), transaction_hash: hashOf(id), ledger: 17 },
    },
  ]);

async function append(
  { app }: TestService,
  ids: readonly string[],
  version: number,
  eventsOf: (id: string) => readonly PaymentRequestEvent[],
): Promise<void> {
  const store = app.get<EventStore>(EVENT_STORE);
  const left = [...ids];
  const write = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const events = encodeEvents(eventsOf(id), context, timestamp(new Date()));
      await store.append(`payment_request-${id}`, version, events);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

/** Resolves when reads show `count` more of these events. */
function seen({ app }: TestService, wanted: string, count: number): Promise<void> {
  let left = count;
  return new Promise((resolve) => {
    app.get(Projector).onApplied((events) => {
      left -= events.filter(({ type }) => type === wanted).length;
      if (left <= 0) resolve();
    });
  });
}

const moved = (request_id: string, previous_status: 'pending' | 'signed' | 'broadcasted') => ({
  request_id,
  connection_id: creation.connection_id,
  device_id: creation.device_id,
  transaction_id: creation.transaction_id,
  previous_status,
  at: timestamp(new Date()),
});

const hashOf = (id: string): string => Buffer.from(id.slice(-26)).toString('hex').padEnd(64, '0');

async function withWitness<T>(url: string, work: (service: TestService) => Promise<T>): Promise<T> {
  const env = { ALLOW_PRIVATE_NETWORKS: 'true', LOG_LEVEL: 'silent', SETTLEMENT_WITNESS: `stellar_testnet=${url}/` };
  const service = await startTestService({ env });
  try {
    return await work(service);
  } finally {
    await service.stopAndForget();
  }
}
