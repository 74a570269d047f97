const WATCH_DURATION_MS = 60 * 60_000;
/** After downtime, payments up to this age still get one lookup; older ones get none, to avoid a burst. */
const MAX_AGE_MS = 7 * 24 * 60 * 60_000;
const MIN_PAUSE_MS = 3_000;
const MAX_PAUSE_MS = 10 * 60_000;

/**
 * How long to wait before the next lookup, or undefined when it is time to give up. It depends only on the start time
 * and the clock, so a restart continues with the same delays and no timer has to be persisted.
 */
export function pauseBefore(since: Date, now: Date): number | undefined {
  const elapsed = now.getTime() - since.getTime();
  if (elapsed >= WATCH_DURATION_MS) return undefined;
  // Where the clock was set back, it may begin in a time to come: the shortest pause until then would burden the network.
  const pause = Math.min(Math.max(Math.abs(elapsed) / 2, MIN_PAUSE_MS), MAX_PAUSE_MS);
  return Math.min(pause, Math.max(WATCH_DURATION_MS - elapsed, MIN_PAUSE_MS));
}

/** Whether an open watch still gets a lookup, even if only one. */
export const isRecentEnough = (since: string, now: Date): boolean => now.getTime() - Date.parse(since) < MAX_AGE_MS;
