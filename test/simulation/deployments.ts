import { type Costs, type Deployment } from './model';

/**
 * Milliseconds on the engine pair; docs/scaling.md says which were measured and which are assumed. Other machines
 * differ: `npm run simulate -- create=0.9 append=4` overrides them.
 */
export const ENGINE_COSTS: Costs = {
  create: 4.5,
  append: 3,
  appendsAtOnce: 15,
  batch: 9,
  project: 0.2,
  send: 0.6,
  receiver: 30,
};

/** A payment is created, signed, broadcast and confirmed: four writes, each reported to the merchant. */
export const CALLS_PER_PAYMENT = 4;

/** The wait for a dead leader (2.5 s) plus the time until the next check. */
const TAKEOVER = { leaderDiesAt: 20_000, silentMs: 2_700 };

type Size = Readonly<Pick<Deployment, 'api' | 'apiProcessors' | 'workers' | 'workerProcessors' | 'endpoints'>>;

const sized = (name: string, payments: number, size: Size, costs: Costs): Deployment => ({
  name,
  callsPerSecond: payments * CALLS_PER_PAYMENT,
  window: 64,
  ...size,
  costs,
  ...TAKEOVER,
});

/** What docs/scaling.md describes. Each of the ten shards has its own log, read model and projector. */
export const deployments = (costs: Costs): readonly Deployment[] => [
  sized('100 a second', 100, { api: 4, apiProcessors: 1, workers: 1, workerProcessors: 1, endpoints: 50 }, costs),
  sized('1,000 a second', 1_000, { api: 28, apiProcessors: 1, workers: 4, workerProcessors: 1, endpoints: 500 }, costs),
  sized(
    '10,000 a second, one of ten shards',
    1_000,
    { api: 28, apiProcessors: 1, workers: 4, workerProcessors: 1, endpoints: 5_000 },
    costs,
  ),
  sized(
    '10,000 a second without shards',
    10_000,
    { api: 280, apiProcessors: 1, workers: 40, workerProcessors: 1, endpoints: 5_000 },
    costs,
  ),
];
