import { ServiceThread } from './service-thread';

const { EVENT_STORE, READ_STORE, ROLE } = process.env;
const isUnsetOr = (value: string | undefined, wanted: string): boolean => !value || value === wanted;

/**
 * Loaded before the rest of the program: the thread loads what it needs meanwhile. Only embedded stores can be shared between
 * threads; settings that do not fit end the process soon, and the thread with it.
 */
export const sendingThread =
  isUnsetOr(EVENT_STORE, 'embedded') && isUnsetOr(READ_STORE, 'embedded') && isUnsetOr(ROLE, 'all')
    ? new ServiceThread('sends-thread.js')
    : undefined;
