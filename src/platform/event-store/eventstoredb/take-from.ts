import { type StreamingRead } from '@eventstore/db-client';
import { OutOfTime } from './errors';
import { TIME_BOUND_MS } from './time-bound';

/**
 * Hands over what a read brings until `take` says false. The bound is for each wait, not for the whole: a long read
 * that makes progress is not an engine that is away.
 */
export async function takeFrom<Item>(reading: StreamingRead<Item>, take: (item: Item) => boolean): Promise<void> {
  // The driver reports failures as events; one that comes after we left must find a listener.
  reading.on('error', () => undefined);
  const timer = setTimeout(() => reading.destroy(new OutOfTime()), TIME_BOUND_MS);
  let complete = false;
  try {
    for await (const item of reading.iterator({ destroyOnReturn: false })) {
      timer.refresh();
      if (!take(item as Item)) return;
    }
    complete = true;
  } finally {
    clearTimeout(timer);
    if (!complete) leave(reading);
  }
}

/** Leaving the loop does not end the call, and a call whose rest nobody reads stays in the driver's books for ever. */
function leave(reading: StreamingRead<unknown>): void {
  reading.cancel().catch(() => undefined);
  reading.resume();
}
