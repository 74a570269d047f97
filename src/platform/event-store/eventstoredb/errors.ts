import { StoreUnavailable } from '../event-store.port';
import { type Endpoint } from './connection-string';

/** Our own bound ended the wait; what was asked for may still happen. */
export class OutOfTime extends Error {
  constructor() {
    super('the event store did not answer in time');
    this.name = 'OutOfTime';
  }
}

/** The node was given up before it answered; what was asked for may have happened. */
export class Lost extends Error {
  constructor() {
    super('the node of the event store gave no answer any more');
    this.name = 'Lost';
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
/** How a node says of a read that it knows nobody who could answer it. */
const NO_LEADER = /No leader info available|Server Is (Not Ready|Busy|Too Busy)/;
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
  if (error instanceof Lost) return new StoreUnavailable('unknown', error);
  const found = describe(error);
  if (!found) return error;
  const { type, code, message } = found;
  if (type === 'timeout' || type === 'deadline-exceeded') return new StoreUnavailable('hanging', error);
  if (type === 'unavailable' || type === 'cancelled' || type === 'not-leader') {
    return new StoreUnavailable('unknown', error);
  }
  const connectionTrouble = (type === undefined || type === 'unknown') && TROUBLE.includes(code as number);
  const noConnection = type === undefined && (DISCOVERY_FAILED.test(message) || CHANNEL_CLOSED.test(message));
  const noLeader = type === 'unknown' && NO_LEADER.test(message);
  return connectionTrouble || noConnection || noLeader ? new StoreUnavailable('unknown', error) : error;
}

/**
 * All appends of a client share one gRPC call. A status of that call reaches every append that waits, also those that
 * were not its cause and those that are written already: so its outcome is unknown, whatever the status says. And a node
 * that is between two leaders refuses an append in words that the driver cannot name ("Server Is Not Ready").
 */
export function appendFailure(error: unknown): unknown {
  return describe(error)?.type === 'unknown' ? new StoreUnavailable('unknown', error) : readFailure(error);
}

/** Where the leader is, according to a node that is not it. */
export function leaderNamedBy(error: unknown): Endpoint | undefined {
  const { leader } = (isOfType(error, 'not-leader') ? error : {}) as { leader?: Endpoint };
  return leader;
}

/** A node that cannot be spoken to, or one that speaks and has no part in the cluster just now. */
export const speaksOfNode = (error: unknown): boolean => readFailure(error) instanceof StoreUnavailable;

/** Nothing came from it at all, so that asking it something else makes no sense. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof Lost || isOfType(error, 'cancelled') || (isOfType(error, 'unavailable') && !saysNotReady(error));

const saysNotReady = (error: unknown): boolean => NO_LEADER.test(describe(error)?.message ?? '');

/**
 * The driver asks a server once what it can do and keeps the answer, also when it is a failure. It forgets one only if
 * the status was "unavailable"; after any other every further append fails the same way, without being sent.
 */
export function breaksClient(error: unknown): boolean {
  const found = describe(error);
  if (!found || found.type !== undefined || error instanceof OutOfTime || error instanceof Lost) return false;
  return DISCOVERY_FAILED.test(found.message) || (typeof found.code === 'number' && found.code !== UNAVAILABLE);
}
