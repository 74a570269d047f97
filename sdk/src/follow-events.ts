import { isPassing, SvcError } from './errors.ts';
import { pause } from './pause.ts';

export type FollowOptions = Readonly<{
  /** The last cursor that was dealt with; 0 for the beginning. Keep it, and nothing is missed or seen twice. */
  since?: number;
  /** Seconds the service may hold an empty answer back, 0 to 30. */
  wait?: number;
  signal?: AbortSignal;
  /** Told of each failure after which following goes on: no answer, a busy or absent service. */
  onInterruption?: (error: unknown) => void;
}>;

/** What any feed answers a poll with. */
export type FeedPage<E> = Readonly<{
  events: readonly E[];
  next_cursor: number;
  /** The last cursor there is. */
  newest_cursor: number;
  has_more: boolean;
}>;

export type Poll<E> = (query: Readonly<{ since: number; limit: number; wait: number }>) => Promise<FeedPage<E>>;

const PAGE = 200;
const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** Every event from `since` on, as they come, until the signal or a refusal ends it. */
export async function* followEvents<E extends Readonly<{ cursor: number }>>(
  poll: Poll<E>,
  options: FollowOptions = {},
): AsyncGenerator<E> {
  const { wait = 20, signal, onInterruption } = options;
  let since = options.since ?? 0;
  let failures = 0;
  while (!signal?.aborted) {
    let page: FeedPage<E>;
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
    // Beyond the end nothing would ever come: the cursor is from elsewhere, or the service lost what came before.
    if (page.newest_cursor < since) throw new RangeError(`cursor ${since} is beyond the newest, ${page.newest_cursor}`);
    for (const event of page.events) {
      yield event;
      since = event.cursor;
    }
    // A reader of some types only passes over the others.
    since = Math.max(since, page.next_cursor);
  }
}

const pauseAfter = (error: unknown, failures: number): number => {
  if (error instanceof SvcError && error.retryAfterSeconds !== undefined) return error.retryAfterSeconds * 1000;
  return Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** Math.min(failures, 10));
};
