import { type Position } from '../event-store/event-store.port';

/** In the name of a bookmark for an event that a reactor has set aside, see reacting/set-aside.ts. */
export const ASIDE = '#aside-';

/**
 * How far a bookmark may be on a log with this end. One for an event that was set aside is twice the position before
 * that event, plus one while it waits: most lie beyond the end of their own log, and one that is brought back to it
 * would name another event, or none. Twice the end frees a slot whose event the log does not have, and no other.
 */
export const furthestMark = (name: string, end: Position): Position => (name.includes(ASIDE) ? end * 2n : end);
