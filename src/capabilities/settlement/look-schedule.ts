const WATCHED_FOR_MS = 60 * 60_000;
/** Until then a service that was down gets one look in; much older payments are not all asked for at once. */
const LATEST_MS = 7 * 24 * 60 * 60_000;
const SHORTEST_PAUSE_MS = 3_000;
const LONGEST_PAUSE_MS = 10 * 60_000;

/**
 * How long to wait before the next look, or undefined when it is time to give up. It depends only on the start time and
 * the clock, so a restart continues with the same pauses and no timer has to be persisted.
 */
export function pauseBefore(since: Date, now: Date): number | undefined {
  const elapsed = now.getTime() - since.getTime();
  if (elapsed >= WATCHED_FOR_MS) return undefined;
  const pause = Math.min(Math.max(elapsed / 2, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
  return Math.min(pause, Math.max(WATCHED_FOR_MS - elapsed, SHORTEST_PAUSE_MS));
}

/** Whether a payment that is still open is looked for, be it once. */
export const isLookedForAt = (since: string, now: Date): boolean => now.getTime() - Date.parse(since) < LATEST_MS;
