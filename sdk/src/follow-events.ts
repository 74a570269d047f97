import { isPassing, SvcCursorError, SvcError } from './errors.ts';
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

/** `sinceIsFresh`: it was read from this feed a moment ago, so nobody need look whether it is of this feed. */
type Following = FollowOptions & Readonly<{ sinceIsFresh?: boolean }>;

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

/**
 * Every event from `since` on, as they come, until the signal or a refusal ends it. A `since` beyond the newest event ends it
 * with SvcCursorError, once the service has said so twice: while it builds its views anew it may know less for a moment.
 */
export async function* followEvents<E extends Readonly<{ cursor: number }>>(
  poll: Poll<E>,
  options: Following = {},
): AsyncGenerator<E> {
  const { wait = 20, signal, onInterruption } = options;
  let since = options.since ?? 0;
  let failures = 0;
  let isFirst = options.sinceIsFresh !== true;
  let isBeyond = false;
  while (!signal?.aborted) {
    let page: FeedPage<E>;
    try {
      // A cursor from before is looked at once without waiting, so that one from elsewhere is noticed at once.
      page = await poll({ since, limit: PAGE, wait: isBeyond || (isFirst && since > 0) ? 0 : wait });
      failures = 0;
      isFirst = false;
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
    // A service from before this was told leaves it out.
    const newest = (page as Partial<FeedPage<E>>).newest_cursor ?? since;
    if (isBeyond && newest < since) throw new SvcCursorError(since, newest);
    isBeyond = newest < since;
    if (isBeyond) await pause(SHORTEST_PAUSE_MS, signal);
    // A reader of some types only passes over the others.
    since = Math.max(since, page.next_cursor);
  }
}

const pauseAfter = (error: unknown, failures: number): number => {
  if (error instanceof SvcError && error.retryAfterSeconds !== undefined) return error.retryAfterSeconds * 1000;
  return Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** Math.min(failures, 10));
};
