import { availableParallelism, cpus } from 'node:os';
import { MongoClient } from 'mongodb';
import { newId } from '../../src/kernel/ids';
import { pause } from '../../src/kernel/pause';
import { spawnEventStoreDb } from '../support/eventstoredb/server-process';
import { inDatabase } from '../support/instances';
import { prepareScene } from '../support/prepared-scene';
import { median, untilReady, withServer } from './load';
import { SERVICE, settings } from './payment-requests';
import { type Aim, cpuMs, creating, post, type Posted } from './posting';
import { inTempFolder } from './stores';

const CALLERS = [1, 16, 64] as const;
const EACH = Number(process.env['BENCH_CREATES'] ?? 1_000);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const WARM_UP = Math.min(300, EACH);
/** Within this time after load V8 has collected what is left of it, once: half a second of processor time. */
const SETTLE_MS = 45_000;
const IDLE_MS = Number(process.env['BENCH_IDLE_MS'] ?? 20_000);

type Env = Readonly<Record<string, string>>;
export type PairCost = Readonly<{
  callers: number;
  embedded: Posted;
  engines: Posted;
  /** Creates a second on this machine if only the service itself cost nothing: engines and callers share its cores. */
  mostOnEngines: number;
}>;
export type EngineCosts = Readonly<{
  creates: readonly PairCost[];
  idle: Readonly<{ embedded: number; engines: number }>;
}>;

/**
 * The same creates on both pairs in turns, and each service's idle processor use (as a share of one core). The engines
 * are those named by TEST_EVENTSTORE_URL and TEST_MONGODB_URL; without the first, the tests' own server is used.
 */
export async function engineCosts(): Promise<EngineCosts> {
  const mongoUrl = process.env['TEST_MONGODB_URL'];
  if (!mongoUrl) throw new Error('the engine pair needs a MongoDB server named by TEST_MONGODB_URL');
  const given = process.env['TEST_EVENTSTORE_URL'];
  const engine = given ? undefined : await spawnEventStoreDb();
  const database = `svc_bench_${newId('req').slice(-12)}`;
  const stores = {
    EVENT_STORE: 'eventstoredb',
    EVENTSTORE_URL: given ?? engine?.url ?? '',
    READ_STORE: 'mongodb',
    MONGODB_URL: inDatabase(mongoUrl, database),
    SERVICE_SECRET: 'only-for-tests-only-for-tests-only-for-tests',
  };
  try {
    return await onPair({}, (embedded) => onPair(stores, (engines) => compared(embedded, engines)));
  } finally {
    await engine?.stop();
    const client = await MongoClient.connect(mongoUrl);
    await client.db(database).dropDatabase();
    await client.close();
  }
}

const onPair = <T>(stores: Env, work: (aim: Aim) => Promise<T>): Promise<T> =>
  inTempFolder(async (folder) => {
    const scene = await prepareScene(folder, undefined, stores);
    return withServer(SERVICE, { ...settings(folder), ...stores }, async (url, child) => {
      await untilReady(url);
      return work(creating(url, scene, child));
    });
  });

async function compared(embedded: Aim, engines: Aim): Promise<EngineCosts> {
  for (const aim of [embedded, engines]) await post(aim, WARM_UP);
  const creates: PairCost[] = [];
  for (const callers of CALLERS) {
    const rounds: Readonly<{ embedded: Posted; engines: Posted; besideMs: number }>[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const alone = await post(embedded, EACH, callers);
      const busy = busyMs();
      const remote = await post(engines, EACH, callers);
      rounds.push({ embedded: alone, engines: remote, besideMs: (busyMs() - busy) / EACH - remote.cpu });
    }
    creates.push({
      callers,
      embedded: middle(rounds.map((round) => round.embedded)),
      engines: middle(rounds.map((round) => round.engines)),
      mostOnEngines: (availableParallelism() * 1000) / median(rounds.map(({ besideMs }) => besideMs)),
    });
  }
  await pause(SETTLE_MS);
  const [before, beforeToo] = [cpuMs(embedded.child), cpuMs(engines.child)];
  await pause(IDLE_MS);
  const idle = {
    embedded: (cpuMs(embedded.child) - before) / IDLE_MS,
    engines: (cpuMs(engines.child) - beforeToo) / IDLE_MS,
  };
  return { creates, idle };
}

/** Processor time of everything on this machine. */
const busyMs = (): number =>
  cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);

function middle(rounds: readonly Posted[]): Posted {
  const of = (value: (posted: Posted) => number): number => median(rounds.map(value));
  return {
    perSecond: of(({ perSecond }) => perSecond),
    p99: of(({ p99 }) => p99),
    cpu: of(({ cpu }) => cpu),
    seconds: of(({ seconds }) => seconds),
  };
}
