import { pause } from '../../kernel/pause';
import { LOG_START, type Position } from '../event-store/event-store.port';
import { type Bookmarks } from './reactor';

/** Stored beside the bookmarks, where every instance and an operator's command see them: the newest call's number. */
const ASKED = 'set-aside#asked';
const HEARD = 'set-aside#heard';
const ANSWERED = 'set-aside#answered';
const LISTEN_EVERY_MS = 500;

/** For the instance that reacts: retries what was set aside when an operator calls for it, while any of it waits. */
export async function answerCalls(
  bookmarks: Bookmarks,
  waiting: () => number,
  tryAgain: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (; !signal.aborted; await pause(LISTEN_EVERY_MS, signal)) {
    if (waiting() === 0) continue;
    try {
      const asked = await bookmarks.bookmark(ASKED);
      if (asked === LOG_START || asked <= (await bookmarks.bookmark(ANSWERED))) continue;
      await bookmarks.setBookmark(HEARD, asked);
      await tryAgain();
      // Cut short: the next process that reacts answers it.
      if (signal.aborted) return;
      await bookmarks.setBookmark(ANSWERED, asked);
    } catch {
      // The store is unavailable: the call stays pending.
    }
  }
}

/** For the command: calls for one more attempt at everything that waits. */
export async function callAgain(bookmarks: Bookmarks): Promise<Position> {
  const call = (await bookmarks.bookmark(ASKED)) + 1n;
  await bookmarks.setBookmark(ASKED, call);
  return call;
}

/** How far a call has come. */
export async function stateOfCall(bookmarks: Bookmarks, call: Position): Promise<'asked' | 'heard' | 'answered'> {
  if ((await bookmarks.bookmark(ANSWERED)) >= call) return 'answered';
  return (await bookmarks.bookmark(HEARD)) >= call ? 'heard' : 'asked';
}
