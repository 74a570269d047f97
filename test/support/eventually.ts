import { pause } from '../../src/kernel/pause';

const PATIENCE_MS = 40_000;
const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;

/**
 * Polls until it is ready, and gives up in time for the test to report what it waited for. The longer it has waited,
 * the less often it looks: each look costs processor time, and a few percent more of a wait matter to no test.
 */
export async function eventually<T>(look: () => Promise<T>, ready: (seen: T) => boolean, what: string): Promise<T> {
  const begun = Date.now();
  for (;;) {
    const seen = await look();
    if (ready(seen)) return seen;
    const waited = Date.now() - begun;
    if (waited > PATIENCE_MS) throw new Error(`${what} did not happen`);
    await pause(Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, waited / 20)));
  }
}
