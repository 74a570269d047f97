import { type Sighting } from './witness.port';

const WATCH_DURATION_MS = 60 * 60_000;
/** A transaction that the network does not know was most likely made up: it is looked for less often, and not as long. */
const UNKNOWN_DURATION_MS = 20 * 60_000;
/** After downtime, payments up to this age still get one lookup; older ones get none, to avoid a burst. */
const MAX_AGE_MS = 7 * 24 * 60 * 60_000;
const MIN_PAUSE_MS = 3_000;
const MAX_PAUSE_MS = 10 * 60_000;

/**
 * How long to wait before the next lookup, or undefined when it is time to give up. It depends only on the start time,
 * the clock and the last answer, so a restart continues with the same delays and no timer has to be persisted.
 */
export function pauseBefore(since: Date, now: Date, found: Sighting['kind'] = 'unclear'): number | undefined {
  const [duration, share] = found === 'not_found' ? [UNKNOWN_DURATION_MS, 1] : [WATCH_DURATION_MS, 2];
  const elapsed = now.getTime() - since.getTime();
  if (elapsed >= duration) return undefined;
  // Where the clock was set back, it may begin in a time to come: the shortest pause until then would burden the network.
  const pause = Math.min(Math.max(Math.abs(elapsed) / share, MIN_PAUSE_MS), MAX_PAUSE_MS);
  return Math.min(pause, Math.max(duration - elapsed, MIN_PAUSE_MS));
}

/** Whether an open watch still gets a lookup, even if only one. */
export const isRecentEnough = (since: string, now: Date): boolean => now.getTime() - Date.parse(since) < MAX_AGE_MS;
