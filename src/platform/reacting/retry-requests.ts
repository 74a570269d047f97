import { roughPause } from '../../kernel/rough-pause';
import { LOG_START, type Position } from '../event-store/event-store.port';
import { type Bookmarks } from './reactor';

/** The newest request in each state, stored with the bookmarks, where all instances and the command see it. */
const REQUESTED = 'set-aside#asked';
const ACCEPTED = 'set-aside#heard';
const DONE = 'set-aside#answered';
const POLL_INTERVAL_MS = 500;

/** For the instance that reacts: retries what was set aside when an operator requests it. */
export async function serveRetryRequests(
  bookmarks: Bookmarks,
  waiting: () => number,
  retry: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (; !signal.aborted; await roughPause(POLL_INTERVAL_MS, signal)) {
    if (waiting() === 0) continue;
    try {
      const requested = await bookmarks.bookmark(REQUESTED);
      if (requested === LOG_START || requested <= (await bookmarks.bookmark(DONE))) continue;
      await bookmarks.setBookmark(ACCEPTED, requested);
      await retry();
      // Interrupted: the next process that reacts serves the request.
      if (signal.aborted) return;
      await bookmarks.setBookmark(DONE, requested);
    } catch {
      // The store is unavailable: the request stays pending.
    }
  }
}

/** For the command: requests one more attempt at everything that was set aside. */
export async function requestRetry(bookmarks: Bookmarks): Promise<Position> {
  const request = (await bookmarks.bookmark(REQUESTED)) + 1n;
  await bookmarks.setBookmark(REQUESTED, request);
  return request;
}

export async function stateOfRequest(
  bookmarks: Bookmarks,
  request: Position,
): Promise<'requested' | 'accepted' | 'done'> {
  if ((await bookmarks.bookmark(DONE)) >= request) return 'done';
  return (await bookmarks.bookmark(ACCEPTED)) >= request ? 'accepted' : 'requested';
}
