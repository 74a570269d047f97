import { isPassing, SvcCursorError, SvcError } from '../../errors.ts';
import { type MerchantSession } from '../../merchant/session.ts';
import { pause } from '../../pause.ts';

/** One event of the merchant's feed: next to its cursor, the exact body that a webhook sends. */
export type FeedEvent = Readonly<{
  cursor: number;
  type: string;
  timestamp: string;
  data: Readonly<Record<string, unknown>>;
}>;

type Page = Readonly<{
  events: readonly FeedEvent[];
  next_cursor: number;
  newest_cursor: number;
  has_more: boolean;
}>;

export type Reading = Readonly<{
  /** Undefined: from now on. */
  since: number | undefined;
  types: string | undefined;
  /** Keeps following after everything has been read. */
  follow: boolean;
  signal: AbortSignal;
  onInterruption: (error: unknown) => void;
}>;

const PAGE_SIZE = 200;
const WAIT_SECONDS = 20;
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

/** Every event after `since`, once and in order, until the end or the signal. Following waits out transient errors. */
export async function* readFeed(session: MerchantSession, reading: Reading): AsyncGenerator<FeedEvent> {
  const { types, follow, signal, onInterruption } = reading;
  const poll = (since: number, wait: number, limit = PAGE_SIZE): Promise<Page> =>
    session.get<Page>('/v1/events', { since, limit, wait, types }, { signal });
  let since = reading.since ?? (await poll(0, 0, 1)).newest_cursor;
  let wait = 0;
  let isBeyond = false;
  for (let failures = 0; !signal.aborted;) {
    let page: Page;
    try {
      page = await poll(since, wait);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (!follow || !isPassing(error)) throw error;
      onInterruption(error);
      await pause(pauseAfter(error, failures++), signal);
      continue;
    }
    if (page.newest_cursor < since) {
      // Only the second time is an error, as in followEvents: while rebuilding its views, the service may know less.
      if (isBeyond || !follow) throw new SvcCursorError(since, page.newest_cursor);
      isBeyond = true;
      wait = 0;
      await pause(MIN_PAUSE_MS, signal);
      continue;
    }
    isBeyond = false;
    yield* page.events;
    since = page.next_cursor;
    if (!page.has_more && !follow) return;
    wait = page.has_more ? 0 : WAIT_SECONDS;
  }
}

const pauseAfter = (error: unknown, failures: number): number =>
  error instanceof SvcError && error.retryAfterSeconds !== undefined
    ? error.retryAfterSeconds * 1000
    : Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** Math.min(failures, 10));

/** What the event is about. */
export function subjectOf({ data }: FeedEvent): string {
  const id = data['request_id'] ?? data['id'] ?? data['connection_id'];
  return typeof id === 'string' ? id : '';
}
