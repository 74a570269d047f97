import { newId } from '../src/kernel/ids';
import { pause } from '../src/kernel/pause';
import { type DnsResponder } from './support/dns-responder';
import { startEventStoreDb, type TestEventStoreDb } from './support/eventstoredb/server';
import { inDatabase } from './support/instances';
import { describeWithMongo } from './support/mongodb';
import { recordCommands, type CommandRecorder } from './support/mongodb-commands';
import { type BulkFront, startBulkFront } from './support/mongodb-wire/bulk-front';
import { createPayment, type PaymentScene, setPaymentScene, startPaymentDns } from './support/payments';
import { startTestService, type TestService } from './support/service';

// Bounds a hang: these are about three hundred creates, possibly on a busy machine.
jest.setTimeout(240_000);

/** How many creates one after another. */
const ALONE = 12;

const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;

type Cost = Readonly<{ reads: number; appends: number; commands: number; seen: readonly string[] }>;

/** Counts the calls to the engines for a create. Unlike durations, they hardly vary with the machine. */
describeWithMongo('what a create costs on EventStoreDB and MongoDB', (mongoUrl) => {
  let dns: DnsResponder;
  let engine: TestEventStoreDb;
  let front: BulkFront;
  let commands: CommandRecorder;
  let env: Readonly<Record<string, string>>;
  let service: TestService | undefined;
  let scene: PaymentScene;
  let asked: number;
  beforeEach(async () => {
    asked = 0;
    ({ dns, env } = await startPaymentDns());
    engine = await startEventStoreDb();
    front = await startBulkFront(mongoUrl);
    commands = recordCommands();
  });
  afterEach(async () => {
    await service?.stopAndForget();
    commands.stop();
    await front.stop();
    await engine.stop();
    await dns.close();
  });

  const start = async (serverUrl: string): Promise<void> => {
    const url = inDatabase(serverUrl, `svc_test_${newId('req').slice(-12)}`);
    service = await startTestService({
      env: {
        ...env,
        EVENT_STORE: 'eventstoredb',
        EVENTSTORE_URL: engine.url,
        READ_STORE: 'mongodb',
        MONGODB_URL: `${url}${url.includes('?') ? '&' : '?'}monitorCommands=true`,
        SERVICE_SECRET: 'only-for-tests-only-for-tests-only-for-tests',
      },
    });
    scene = await setPaymentScene(service, dns);
    // Warms up whatever is cached or followed.
    await creates(4, 3);
  };

  /** Each create has its own amount and key, like those of real callers. */
  async function creates(callers: number, each: number): Promise<Cost> {
    const [before, mark] = [engine.asked(), commands.mark()];
    const call = async (): Promise<void> => {
      for (let at = 0; at < each; at += 1) {
        const payment = { amount: String((asked += 1)) };
        const { status } = await createPayment(
          service as TestService,
          scene,
          { payment },
          { 'x-idempotency-key': newId('req') },
        );
        expect(status).toBe(201);
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
    const [after, seen, total] = [engine.asked(), commands.since(mark), callers * each];
    const reads = after.streamReads - before.streamReads + after.allReads - before.allReads;
    return {
      reads: reads / total,
      appends: (after.appends - before.appends) / total,
      commands: seen.length / total,
      seen,
    };
  }

  /** The middle of what rounds cost: background work, and what follows a moment of standing still, falls on single ones. */
  async function middleOf(rounds: number, round: () => Promise<Cost>): Promise<Cost> {
    const costs: Cost[] = [];
    for (let at = 0; at < rounds; at += 1) costs.push(await round());
    const middle = (of: 'reads' | 'appends' | 'commands'): number => median(costs.map((cost) => cost[of]));
    const seen = costs.flatMap((cost) => cost.seen);
    return { reads: middle('reads'), appends: middle('appends'), commands: middle('commands'), seen };
  }
  const createsAlone = (): Promise<Cost> => middleOf(ALONE, () => creates(1, 1));
  const createsTogether = (): Promise<Cost> => middleOf(3, () => creates(16, 8));

  it('is one read of the log, one append, one write and one read for a single caller, and a fraction of that for sixteen at once', async () => {
    await start(front.url);
    const alone = await createsAlone();
    expect(alone.reads).toBeLessThanOrEqual(1);
    expect(alone.appends).toBe(1);
    expect(alone.commands).toBeLessThanOrEqual(3);
    expect(new Set(alone.seen)).toEqual(new Set(['bulkWrite 1', 'find payment_requests']));
    const together = await createsTogether();
    expect(together.reads).toBeLessThanOrEqual(0.4);
    expect(together.commands).toBeLessThanOrEqual(1);
  });

  it('is one command per collection if the server has no bulk write over several collections', async () => {
    await start(mongoUrl);
    const alone = await createsAlone();
    expect(alone.commands).toBeLessThanOrEqual(10);
    // The request with others of its recipient and amount, and those of its key on other connections.
    expect(alone.seen.filter((command) => command.startsWith('find '))).toEqual(
      Array(2 * ALONE).fill('find payment_requests'),
    );
    const together = await createsTogether();
    expect(together.commands).toBeLessThan(alone.commands / 2);
  });

  it('is two heartbeats for all leases and half a check of the read model a second while nothing happens', async () => {
    await start(mongoUrl);
    // Lets the work that follows the last event finish.
    await pause(3_000);
    // The middle of three: an instance that stood still has lost its lease, and all its background work begins anew.
    const windows: Record<'heartbeats' | 'checks' | 'others', number>[] = [];
    for (let at = 0; at < 3; at += 1) {
      const mark = commands.mark();
      await pause(4_000);
      const seen = commands.backgroundSince(mark);
      const asked = (command: string): number => seen.filter((one) => one === `${command} read_model_state`).length;
      const [heartbeats, checks] = [asked('findAndModify'), asked('find')];
      windows.push({ heartbeats, checks, others: seen.length - heartbeats - checks });
    }
    const [heartbeats, checks, others] = (['heartbeats', 'checks', 'others'] as const).map((kind) =>
      median(windows.map((window) => window[kind])),
    ) as [number, number, number];
    expect(heartbeats).toBeGreaterThan(0);
    expect(heartbeats).toBeLessThanOrEqual(10);
    expect(checks).toBeGreaterThan(0);
    expect(checks).toBeLessThanOrEqual(3);
    expect(others).toBeLessThanOrEqual(14);
  });
});
