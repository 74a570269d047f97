const WATCHED_FOR_MS = 60 * 60_000;
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

export const isWatchedAt = (since: string, now: Date): boolean => now.getTime() - Date.parse(since) < WATCHED_FOR_MS;
