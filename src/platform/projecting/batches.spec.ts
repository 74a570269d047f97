import { setImmediate as nextTurn } from 'node:timers/promises';
import { inBatches } from './batches';

/** Groups that come at once, each a turn of the event loop after the one before. */
async function* arriving(...groups: readonly (readonly number[])[]): AsyncGenerator<number> {
  for (const [at, group] of groups.entries()) {
    if (at > 0) await nextTurn();
    yield* group;
  }
}

async function batchesOf(source: AsyncIterable<number>, size = 10): Promise<number[][]> {
  const found: number[][] = [];
  for await (const batch of inBatches(source, size)) found.push(batch);
  return found;
}

describe('batches of what arrives', () => {
  it('hold what is ready, up to their size', async () => {
    expect(await batchesOf(arriving([1, 2, 3, 4, 5]), 2)).toEqual([[1, 2], [3, 4], [5]]);
    expect(await batchesOf(arriving([1, 2, 3]))).toEqual([[1, 2, 3]]);
    expect(await batchesOf(arriving())).toEqual([]);
  });

  it('pass on a single item without waiting for another', async () => {
    const quiet = (async function* () {
      yield 1;
      await new Promise(() => undefined);
    })();
    expect(await inBatches(quiet, 10).next()).toEqual({ done: false, value: [1] });
  });

  it('grow while each turn brings more, for a few turns', async () => {
    const busy = Array.from({ length: 40 }, (_, at) => [2 * at, 2 * at + 1]);
    const batches = await batchesOf(arriving(...busy), 100);
    expect(batches.flat()).toEqual(busy.flat());
    const sizes = batches.map(({ length }) => length);
    expect(Math.max(...sizes)).toBeGreaterThan(2);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(8);
  });

  it('end their source when the consumer leaves', async () => {
    let hasEnded = false;
    const source = (async function* () {
      try {
        for (;;) yield 1;
      } finally {
        hasEnded = true;
      }
    })();
    for await (const batch of inBatches(source, 3)) {
      expect(batch).toEqual([1, 1, 1]);
      break;
    }
    expect(hasEnded).toBe(true);
  });
});
