import { seededRandom } from '../support/seeded';
import { type Deployment, simulate } from './model';

/** Costs close to zero; each test overrides the one that it is about. */
const free = {
  create: 0.001,
  append: 0.001,
  appendsAtOnce: 1_000,
  batch: 0.001,
  project: 0,
  send: 0.001,
  receiver: 0.001,
};
const one: Deployment = {
  name: 'one',
  callsPerSecond: 500,
  api: 1,
  apiProcessors: 1,
  workers: 0,
  workerProcessors: 1,
  endpoints: 10,
  window: 64,
  costs: free,
};
const run = (deployment: Deployment, seconds = 60) => simulate(deployment, seconds, seededRandom(7));

describe('the simulation', () => {
  it('agrees with the theory of a single queue: M/D/1 waits ρ·s / 2(1 − ρ)', () => {
    // 1 ms of work 800 times a second: ρ = 0.8, so a caller waits 2 ms on average and is answered after 3.
    const waits = Array.from({ length: 5 }, (_, seed) => {
      const deployment = { ...one, callsPerSecond: 800, costs: { ...free, create: 1 } };
      return simulate(deployment, 60, seededRandom(seed + 1));
    });
    const mean = waits.reduce((sum, { mean: each }) => sum + each, 0) / waits.length;
    expect(mean).toBeGreaterThan(2.7);
    expect(mean).toBeLessThan(3.3);
    expect(waits[0]?.apiBusy).toBeCloseTo(0.8, 1);
  });

  it('answers every call exactly once', () => {
    const { answered } = run(one);
    expect(answered).toBeGreaterThan(29_000);
    expect(answered).toBeLessThan(31_000);
  });

  it('shares the fixed cost of a batch among the waiting calls', () => {
    // 2,000 a second with 5 ms per batch: one at a time it could only do 200.
    const { p99, usualBatch } = run({ ...one, callsPerSecond: 2_000, costs: { ...free, batch: 5, project: 0.05 } });
    expect(p99).toBeLessThan(20);
    expect(usualBatch).toBeGreaterThan(10);
  });

  it('falls further and further behind if there is more work than processors', () => {
    const costs = { ...free, send: 3 };
    const [behind, enough] = [1, 2].map((workers) => run({ ...one, workers, costs }, 30));
    expect(behind?.mostUnsent).toBeGreaterThan(4_000);
    expect(enough?.mostUnsent).toBeLessThan(1_000);
  });

  it('lets callers wait for a takeover, and then works off the backlog', () => {
    const costs = { ...free, batch: 1, project: 0.5 };
    const calm = run({ ...one, costs }, 30);
    const died = run({ ...one, costs, leaderDiesAt: 10_000, silentMs: 3_000 }, 30);
    expect(calm.longest).toBeLessThan(100);
    expect(died.longest).toBeGreaterThan(3_000);
    expect(died.longest).toBeLessThan(3_800);
    // 1,500 have piled up; a full batch of 500 takes a quarter of a second, in which 125 more arrive.
    expect(died.recoveredAfter).toBeGreaterThan(500);
    expect(died.recoveredAfter).toBeLessThan(2_500);
    expect(Math.abs(died.answered - calm.answered)).toBeLessThan(100);
  });
});
