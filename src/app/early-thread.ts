import { BackgroundThread } from './background-thread';

const { EVENT_STORE, READ_STORE, ROLE } = process.env;
const isUnsetOr = (value: string | undefined, wanted: string): boolean => !value || value === wanted;

/**
 * Loaded before the rest of the program: the thread loads that for itself meanwhile. Only embedded stores can be shared between
 * two threads; settings that do not fit end the process soon, and the thread with it.
 */
export const backgroundThread =
  isUnsetOr(EVENT_STORE, 'embedded') && isUnsetOr(READ_STORE, 'embedded') && isUnsetOr(ROLE, 'all')
    ? new BackgroundThread()
    : undefined;
