import { pause } from '../../src/kernel/pause';

const PATIENCE_MS = 40_000;

/** Polls until it is ready, and gives up in time for the test to report what it waited for. */
export async function eventually<T>(look: () => Promise<T>, ready: (seen: T) => boolean, what: string): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (ready(seen)) return seen;
    if (Date.now() > deadline) throw new Error(`${what} did not happen`);
    await pause(5);
  }
}
