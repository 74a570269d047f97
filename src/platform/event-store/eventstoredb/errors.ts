import { StoreUnavailable } from '../event-store.port';

/** Our own bound ended the wait; what was asked for may still happen. */
export class OutOfTime extends Error {
  constructor() {
    super('the event store did not answer in time');
    this.name = 'OutOfTime';
  }
}

/** gRPC statuses that speak of the connection or the node, not of what was asked. */
const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
const RESOURCE_EXHAUSTED = 8;
const INTERNAL = 13;
const UNAVAILABLE = 14;
const TROUBLE: readonly number[] = [CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, INTERNAL, UNAVAILABLE];

const DISCOVERY_FAILED = /^Failed to discover/;
const CHANNEL_CLOSED = /^Channel has been shut down/;

type DriverError = Readonly<{ type: unknown; code: unknown; message: string }>;

/** The driver's errors carry no telling name, some not even their class: `type` and `code` say what they are. */
function describe(error: unknown): DriverError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { type, code } = error as Error & { type?: unknown; code?: unknown };
  return { type, code, message: error.message };
}

export const isOfType = (error: unknown, type: string): boolean => describe(error)?.type === type;

/** What to throw instead of a failed read: unavailability as the port names it, everything else as it came. */
export function readFailure(error: unknown): unknown {
  if (error instanceof OutOfTime) return new StoreUnavailable('hanging', error);
  const found = describe(error);
  if (!found) return error;
  const { type, code, message } = found;
  if (type === 'timeout' || type === 'deadline-exceeded') return new StoreUnavailable('hanging', error);
  if (type === 'unavailable' || type === 'cancelled' || type === 'not-leader') {
    return new StoreUnavailable('unknown', error);
  }
  const connectionTrouble = (type === undefined || type === 'unknown') && TROUBLE.includes(code as number);
  const noConnection = type === undefined && (DISCOVERY_FAILED.test(message) || CHANNEL_CLOSED.test(message));
  return connectionTrouble || noConnection ? new StoreUnavailable('unknown', error) : error;
}

/**
 * All appends of a client share one gRPC call. A status of that call reaches every append that waits, also those that
 * were not its cause and those that are written already: so its outcome is unknown, whatever the status says.
 */
export function appendFailure(error: unknown): unknown {
  const found = describe(error);
  return found?.type === 'unknown' && typeof found.code === 'number'
    ? new StoreUnavailable('unknown', error)
    : readFailure(error);
}

/**
 * The driver asks a server once what it can do and keeps the answer, also when it is a failure. It forgets one only if
 * the status was "unavailable"; after any other every further append fails the same way, without being sent.
 */
export function breaksClient(error: unknown): boolean {
  const found = describe(error);
  if (!found || found.type !== undefined || error instanceof OutOfTime) return false;
  return DISCOVERY_FAILED.test(found.message) || (typeof found.code === 'number' && found.code !== UNAVAILABLE);
}
