import { isPassing, SvcError } from './errors.ts';
import { pause } from './pause.ts';
import { type EventPage, type PaymentRequestEvent } from './types/payment.ts';

export type FollowOptions = Readonly<{
  /** The last cursor that was dealt with; 0 for the beginning. Keep it, and nothing is missed or seen twice. */
  since?: number;
  /** Seconds the service may hold an empty answer back, 0 to 30. */
  wait?: number;
  signal?: AbortSignal;
  /** Told of each failure after which following goes on: no answer, a busy or absent service. */
  onInterruption?: (error: unknown) => void;
}>;

export type Poll = (query: Readonly<{ since: number; limit: number; wait: number }>) => Promise<EventPage>;

const PAGE = 200;
const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** Every event from `since` on, as they come, until the signal or a refusal ends it. */
export async function* followEvents(poll: Poll, options: FollowOptions = {}): AsyncGenerator<PaymentRequestEvent> {
  const { wait = 20, signal, onInterruption } = options;
  let since = options.since ?? 0;
  let failures = 0;
  while (!signal?.aborted) {
    let page: EventPage;
    try {
      page = await poll({ since, limit: PAGE, wait });
      failures = 0;
    } catch (error) {
      if (signal?.aborted) return;
      if (!isPassing(error)) throw error;
      onInterruption?.(error);
      await pause(pauseAfter(error, failures), signal);
      failures += 1;
      continue;
    }
    for (const event of page.events) {
      yield event;
      since = event.cursor;
    }
  }
}

const pauseAfter = (error: unknown, failures: number): number => {
  if (error instanceof SvcError && error.retryAfterSeconds !== undefined) return error.retryAfterSeconds * 1000;
  return Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** Math.min(failures, 10));
};
