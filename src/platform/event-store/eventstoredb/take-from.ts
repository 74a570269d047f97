import { type StreamingRead } from '@eventstore/db-client';
import { RunningTimeout } from '../../../kernel/running-timeout';
import { NodeAbandoned, TimedOut } from './errors';
import { type Node } from './node';
import { TIME_BOUND_MS } from './time-bound';

/**
 * Passes on what a read yields until `take` returns false. The bound applies to each wait, not to the whole read: a
 * long read that makes progress does not mean that the engine is unavailable.
 */
export async function takeFrom<Item>(
  { pulse, lost }: Pick<Node, 'pulse' | 'lost'>,
  reading: StreamingRead<Item>,
  take: (item: Item) => boolean,
): Promise<void> {
  // The driver reports failures as events; one that occurs after we stop reading still needs a listener.
  reading.on('error', () => undefined);
  const timer = new RunningTimeout(() => reading.destroy(new TimedOut()), TIME_BOUND_MS);
  const request = pulse.ask();
  const leaveLost = (): void => void reading.destroy(new NodeAbandoned());
  lost.addEventListener('abort', leaveLost, { once: true });
  if (lost.aborted) leaveLost();
  let complete = false;
  try {
    for await (const item of reading.iterator({ destroyOnReturn: false })) {
      timer.refresh();
      request.answered();
      if (!take(item as Item)) return;
    }
    // When a client is disposed of, the driver ends its reads as if they were complete.
    if (lost.aborted) throw new NodeAbandoned();
    request.answered();
    complete = true;
  } finally {
    timer.clear();
    request.end();
    lost.removeEventListener('abort', leaveLost);
    if (!complete) leave(reading);
  }
}

/** Leaving the loop does not end the call, and the driver never forgets a call that is not read to its end. */
function leave(reading: StreamingRead<unknown>): void {
  reading.cancel().catch(() => undefined);
  reading.resume();
}
