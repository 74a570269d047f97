import { isPassing, SvcError, SvcTimeoutError } from './errors.ts';
import { MAX_TIMER_MS, pause } from './pause.ts';

/** How to wait for a person's decision. */
export type Patience = Readonly<{
  /** How long to wait in total; throws SvcTimeoutError after that. */
  timeoutMs?: number;
  /** The pause between two reads. */
  intervalMs?: number;
  signal?: AbortSignal;
  headers?: Readonly<Record<string, string>>;
}>;

/** As long as Connect Keys and pairings are valid. */
const TEN_MINUTES = 600_000;

/**
 * Polls until there is a result. A read in flight is never abandoned: its response may hold a token shown only once.
 * An unavailable service does not end the wait, since the person can still decide.
 */
export async function pollUntil<T>(
  poll: () => Promise<Readonly<{ found: T } | { last: unknown }>>,
  waitedFor: string,
  { timeoutMs = TEN_MINUTES, intervalMs = 1_000, signal }: Patience,
): Promise<T> {
  // Not by the time of day, which may be set while a person decides.
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const seen = await poll().catch((error: unknown) => {
      if (signal?.aborted || !isPassing(error)) throw error;
      return { last: error };
    });
    if ('found' in seen) return seen.found;
    const pauseMs = Math.max(intervalMs, askedPauseMs(seen.last));
    if (performance.now() + pauseMs > deadline) throw new SvcTimeoutError(waitedFor, timeoutMs, seen.last);
    await pause(pauseMs, signal);
  }
}

const askedPauseMs = (last: unknown): number => (last instanceof SvcError ? (last.retryAfterSeconds ?? 0) * 1000 : 0);

/** Aborts the work by its signal when the time is up; without a limit, does nothing. `last` is for the error. */
export async function within<T>(
  timeoutMs: number | undefined,
  waitedFor: string,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal | undefined) => Promise<T>,
  last: () => unknown,
): Promise<T> {
  if (timeoutMs === undefined) return work(signal);
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), Math.min(timeoutMs, MAX_TIMER_MS));
  const end = (): void => over.abort(signal?.reason);
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();
  try {
    return await work(over.signal);
  } catch (error) {
    if (over.signal.aborted && !signal?.aborted) throw new SvcTimeoutError(waitedFor, timeoutMs, last());
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}
