import { isPassing, SvcCursorError, SvcError } from './errors.ts';
import { pause } from './pause.ts';

export type FollowOptions = Readonly<{
  /** The last cursor processed; 0 for the beginning. Keep it, and nothing is missed or seen twice. */
  since?: number;
  /** Seconds the service may hold back an empty response, 0 to 30. */
  wait?: number;
  signal?: AbortSignal;
  /** Called for each failure after which following continues: no response, or a busy or unavailable service. */
  onInterruption?: (error: unknown) => void;
}>;

/** `sinceIsFresh`: it was just read from this feed, so there is no need to check that it belongs here. */
type Following = FollowOptions & Readonly<{ sinceIsFresh?: boolean }>;

/** A page of any feed. */
export type FeedPage<E> = Readonly<{
  events: readonly E[];
  next_cursor: number;
  /** The newest cursor in the feed. */
  newest_cursor: number;
  has_more: boolean;
}>;

export type Poll<E> = (query: Readonly<{ since: number; limit: number; wait: number }>) => Promise<FeedPage<E>>;

const PAGE_SIZE = 200;
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

/**
 * Every event after `since`, as it arrives, until the signal or a refusal ends it. A `since` beyond the newest event
 * ends it with SvcCursorError, once the service has said so twice: while rebuilding its views it may briefly know less.
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
      // Poll a stored cursor once without waiting, so that one from elsewhere is noticed at once.
      page = await poll({ since, limit: PAGE_SIZE, wait: isBeyond || (isFirst && since > 0) ? 0 : wait });
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
    // Older services do not send it.
    const newest = (page as Partial<FeedPage<E>>).newest_cursor ?? since;
    if (isBeyond && newest < since) throw new SvcCursorError(since, newest);
    isBeyond = newest < since;
    // With `wait: 0` the service holds nothing back: without a pause, polls would follow each other at once.
    const isAtOnce = wait === 0 && page.events.length === 0;
    if (isBeyond || isAtOnce) await pause(MIN_PAUSE_MS, signal);
    // A reader of only some types skips the others.
    since = Math.max(since, page.next_cursor);
  }
}

/** Repeats a read after temporary failures, as following does. Any other failure, and an aborted signal, end it. */
export async function readWithRetries<T>(read: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await read();
    } catch (error) {
      if (signal?.aborted || !isPassing(error)) throw error;
      await pause(pauseAfter(error, failures), signal);
    }
  }
}

const pauseAfter = (error: unknown, failures: number): number => {
  if (error instanceof SvcError && error.retryAfterSeconds !== undefined) return error.retryAfterSeconds * 1000;
  return Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** Math.min(failures, 10));
};
