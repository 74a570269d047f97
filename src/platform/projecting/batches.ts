import { setImmediate as nextTurn } from 'node:timers/promises';
import { LOG_START, type Position, type RecordedEvent } from '../event-store/event-store.port';

const NOTHING_YET = Symbol('nothing yet');
/** While each turn of the event loop brings more, so many are waited for: on a busy service that makes fewer and larger batches. */
const MOST_TURNS = 3;

/** Groups what is there already, up to `size`; a lone item is handed on at once. */
export async function* inBatches<T>(source: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    let pending = iterator.next();
    for (;;) {
      const first = await pending;
      if (first.done) return;
      const batch = [first.value];
      pending = iterator.next();
      for (let turns = 0, had = 0; turns < MOST_TURNS && batch.length > had && batch.length < size; turns += 1) {
        had = batch.length;
        // One turn for all that is there: it comes without waiting, and a turn for each would cost more than it.
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
