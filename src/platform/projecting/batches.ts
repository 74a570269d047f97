import { setImmediate as nextTurn } from 'node:timers/promises';
import { LOG_START, type Position, type RecordedEvent } from '../event-store/event-store.port';

const NOTHING_YET = Symbol('nothing yet');
/** How many event-loop turns to wait while each brings more: under load this makes fewer, larger batches. */
const MAX_TURNS = 3;

/** Groups the items that are ready, up to `size`; a single item is not held back. */
export async function* inBatches<T>(source: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    let pending = iterator.next();
    for (;;) {
      const first = await pending;
      if (first.done) return;
      const batch = [first.value];
      pending = iterator.next();
      for (let turns = 0, had = 0; turns < MAX_TURNS && batch.length > had && batch.length < size; turns += 1) {
        had = batch.length;
        // One turn for all items that are ready: a turn for each would cost more than the item.
        const turn = nextTurn(NOTHING_YET);
        while (batch.length < size) {
          const next = await Promise.race([pending, turn]);
          if (next === NOTHING_YET || next.done) break;
          batch.push(next.value);
          pending = iterator.next();
        }
      }
      yield batch;
    }
  } finally {
    await iterator.return?.();
  }
}

export const endOf = (events: readonly RecordedEvent[]): Position => events.at(-1)?.position ?? LOG_START;
