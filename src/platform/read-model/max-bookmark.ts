import { type Position } from '../event-store/event-store.port';

/** In the name of a bookmark for an event that a reactor has set aside, see reacting/set-aside.ts. */
export const ASIDE = '#aside-';

/**
 * The highest value a bookmark may have on a log with this end. The bookmark of a set-aside event is twice the position
 * before that event, plus one while it waits: most are beyond the end of the log, and one lowered to that end would
 * name another event, or none. A limit of twice the end frees exactly those slots whose event the log does not have.
 */
export const maxBookmark = (name: string, end: Position): Position => (name.includes(ASIDE) ? end * 2n : end);
