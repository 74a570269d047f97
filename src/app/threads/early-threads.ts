import { ServiceThread, type ServiceThreads } from './service-thread';

const { EVENT_STORE, READ_STORE, ROLE } = process.env;
const isUnsetOr = (value: string | undefined, wanted: string): boolean => !value || value === wanted;

/**
 * Loaded before the rest of the program: the threads load what they need meanwhile. Only embedded stores can be shared between
 * threads; settings that do not fit end the process soon, and the threads with it.
 */
export const earlyThreads: ServiceThreads | undefined =
  isUnsetOr(EVENT_STORE, 'embedded') && isUnsetOr(READ_STORE, 'embedded') && isUnsetOr(ROLE, 'all')
    ? { reads: new ServiceThread('reads-thread.js'), sends: new ServiceThread('sends-thread.js') }
    : undefined;
