import { type StreamingRead } from '@eventstore/db-client';
import { RunningTimeout } from '../../../kernel/running-timeout';
import { Lost, OutOfTime } from './errors';
import { type Node } from './node';
import { TIME_BOUND_MS } from './time-bound';

/**
 * Hands over what a read brings until `take` says false. The bound is for each wait, not for the whole: a long read
 * that makes progress is not an engine that is away.
 */
export async function takeFrom<Item>(
  { pulse, lost }: Pick<Node, 'pulse' | 'lost'>,
  reading: StreamingRead<Item>,
  take: (item: Item) => boolean,
): Promise<void> {
  // The driver reports failures as events; one that comes after we left must find a listener.
  reading.on('error', () => undefined);
  const timer = new RunningTimeout(() => reading.destroy(new OutOfTime()), TIME_BOUND_MS);
  const question = pulse.ask();
  const leaveLost = (): void => void reading.destroy(new Lost());
  lost.addEventListener('abort', leaveLost, { once: true });
  if (lost.aborted) leaveLost();
  let complete = false;
  try {
    for await (const item of reading.iterator({ destroyOnReturn: false })) {
      timer.refresh();
      question.heard();
      if (!take(item as Item)) return;
    }
    // The driver ends the reads of a client that is given up as if they were complete.
    if (lost.aborted) throw new Lost();
    question.heard();
    complete = true;
  } finally {
    timer.clear();
    question.end();
    lost.removeEventListener('abort', leaveLost);
    if (!complete) leave(reading);
  }
}

/** Leaving the loop does not end the call, and a call whose rest nobody reads stays in the driver's books for ever. */
function leave(reading: StreamingRead<unknown>): void {
  reading.cancel().catch(() => undefined);
  reading.resume();
}
