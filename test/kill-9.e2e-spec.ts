import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedEventStore } from '../src/platform/event-store/embedded/open-embedded-event-store';
import { figure, progress, seedOfRun, sizeFrom, timeLimit } from './support/figures';
import { acknowledged, LogWitness, startWriting } from './support/writing-process';

/** 200 in a full-size run. */
const ROUNDS = sizeFrom('CHAOS_ROUNDS', 8);
const WRITES = 500;
const SEED = seedOfRun();

describe('a store that is killed while it writes', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kill 9-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it(
    `keeps every acknowledged event, once and in its place (${ROUNDS} rounds, seed ${SEED})`,
    async () => {
      const witness = new LogWitness();
      let total = 0;
      let round = 0;
      const rounds = fc.asyncProperty(fc.nat(WRITES), async (enough) => {
        const writing = startWriting(directory);
        await writing.until(() => writing.count('appended') > enough);
        await writing.kill();

        const store = await openEmbeddedEventStore(directory);
        const told = acknowledged(writing);
        total += told.length;
        const problems = await witness.problems(store, told);
        const missing = problems.filter((problem) => problem.includes('was acknowledged'));
        const [lost, doubled] = [missing.length, problems.length - missing.length];
        figure({ promise: 'the store after kill -9', tried: 1, lost, doubled, seed: SEED });
        progress((round += 1), ROUNDS);
        expect(problems).toEqual([]);
        await store.close();
      });
      await fc.assert(rounds, { numRuns: ROUNDS, endOnFailure: true, seed: SEED });
      expect(total).toBeGreaterThan(ROUNDS);
    },
    timeLimit(120_000),
  );
});
