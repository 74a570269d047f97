import { figure, progress } from '../support/figures';
import { seededRandom, seedFrom } from '../support/seeded';
import { compareTimes, TOLERANCE_MS } from './timing';
import { buildWorld } from './world';

/** Roughly how many pairs of calls are compared, for the progress display. */
const PAIRS = 40;

/** How many times the noise is subtracted: it is only an estimate, from the two halves of a thousand calls. */
const NOISE_FACTOR = 3;

/** The full-size run: medians over a thousand calls each. `WALLS_ROUNDS` changes that, `WALLS_SEED` repeats a run. */
async function main(): Promise<boolean> {
  const rounds = seedFrom('WALLS_ROUNDS') ?? 1000;
  const random = seededRandom(seedFrom('WALLS_SEED'));
  const world = await buildWorld();
  process.stdout.write(`seed ${random.seed}, ${rounds} rounds, medians in ms\n`);
  let passed = true;
  let compared = 0;
  await compareTimes(world, random, rounds, ({ what, medians: [one, other], noise, sameBytes }) => {
    // On a busy machine the same call's times differ too; only a larger difference tells a caller anything.
    const apart = Math.max(0, Math.abs(one - other) - NOISE_FACTOR * noise);
    const ok = sameBytes && apart <= TOLERANCE_MS;
    passed &&= ok;
    const seen = { tried: rounds, lost: sameBytes ? 0 : 1, doubled: 0, seed: random.seed, slowestMs: apart };
    figure({ promise: 'known and unknown are alike', ...seen });
    progress((compared += 1), PAIRS);
    const verdict = ok ? 'ok' : sameBytes ? 'TOO FAR APART' : 'BYTES DIFFER';
    process.stdout.write(
      `${one.toFixed(3)}  ${other.toFixed(3)}  ${apart.toFixed(3)}  ${verdict.padEnd(13)} ${what}\n`,
    );
  });
  await world.stop();
  return passed;
}

main().then(
  (passed) => process.exit(passed ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
