import { StoreUnavailable } from '../event-store.port';
import { type Endpoint } from './connection-string';

/** Our own timeout ended the wait; the operation may still happen. */
export class TimedOut extends Error {
  constructor() {
    super('the event store did not answer in time');
    this.name = 'OutOfTime';
  }
}

/** The node was abandoned before it answered; the operation may have happened. */
export class NodeAbandoned extends Error {
  constructor() {
    super('the node of the event store gave no answer any more');
    this.name = 'Lost';
  }
}

/** The position is from another log, or from a later state of this one: reading from there would miss events. */
export class PositionBeyondLogEnd extends Error {
  constructor(position: bigint, end: bigint) {
    super(`the log ends at ${end}, before position ${position}: if it was restored, the read model must be rebuilt`);
    this.name = 'LogEndsEarlier';
  }
}

/** The log was restored from a backup and has grown since: what it has before this position is not what was read. */
export class AnotherEventAtPosition extends Error {
  constructor(position: bigint) {
    super(
      `at position ${position} the log has another event than before: if it was restored, the read model must be rebuilt`,
    );
    this.name = 'LogDiffers';
  }
}

/** gRPC statuses that concern the connection or the node, not the request. */
const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
const RESOURCE_EXHAUSTED = 8;
const INTERNAL = 13;
const UNAVAILABLE = 14;
const CONNECTION_STATUSES: readonly number[] = [
  CANCELLED,
  DEADLINE_EXCEEDED,
  RESOURCE_EXHAUSTED,
  INTERNAL,
  UNAVAILABLE,
];

/** Errors that do not tell whether the append happened. */
const INCONCLUSIVE_ERRORS: ReadonlySet<unknown> = new Set(['unknown', 'timeout', 'deadline-exceeded']);

const DISCOVERY_FAILED = /^Failed to discover/;
/** How a node answers a read when it knows no node that could serve it. */
const NO_LEADER = /No leader info available|Server Is (Not Ready|Busy|Too Busy)/;
const CHANNEL_CLOSED = /^Channel has been shut down/;

type DriverError = Readonly<{ type: unknown; code: unknown; message: string }>;

/** The driver's errors have no meaningful name and often no class: only `type` and `code` identify them. */
function describe(error: unknown): DriverError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { type, code } = error as Error & { type?: unknown; code?: unknown };
  return { type, code, message: error.message };
}

export const isOfType = (error: unknown, type: string): boolean => describe(error)?.type === type;

/** What to throw for a failed read: StoreUnavailable if the engine is unavailable, otherwise the error itself. */
export function readFailure(error: unknown): unknown {
  if (error instanceof TimedOut) return new StoreUnavailable('hanging', error);
  if (error instanceof NodeAbandoned) return new StoreUnavailable('unknown', error);
  const found = describe(error);
  if (!found) return error;
  const { type, code, message } = found;
  if (type === 'timeout' || type === 'deadline-exceeded') return new StoreUnavailable('hanging', error);
  if (type === 'unavailable' || type === 'cancelled' || type === 'not-leader') {
    return new StoreUnavailable('unknown', error);
  }
  const connectionTrouble = (type === undefined || type === 'unknown') && CONNECTION_STATUSES.includes(code as number);
  const noConnection = type === undefined && (DISCOVERY_FAILED.test(message) || CHANNEL_CLOSED.test(message));
  const noLeader = type === 'unknown' && NO_LEADER.test(message);
  return connectionTrouble || noConnection || noLeader ? new StoreUnavailable('unknown', error) : error;
}

/**
 * All appends of a client share one gRPC call. A status of that call reaches every waiting append, including those that
 * did not cause it and those already written: so the outcome is unknown, whatever the status says. And between two
 * leaders a node refuses an append in words that the driver does not recognise ("Server Is Not Ready"). Where the
 * engine itself says that it timed out, it has stopped waiting: an append that is retried before its first attempt was
 * committed ends like this, and the next retry gets its result.
 */
export function appendFailure(error: unknown): unknown {
  const isAnswer = INCONCLUSIVE_ERRORS.has(describe(error)?.type);
  return isAnswer ? new StoreUnavailable('unknown', error) : readFailure(error);
}

/** The leader's address, according to a node that is not the leader. */
export function leaderNamedBy(error: unknown): Endpoint | undefined {
  const { leader } = (isOfType(error, 'not-leader') ? error : {}) as { leader?: Endpoint };
  return leader;
}

/** The node cannot be reached, or it answers but is not part of the cluster at the moment. */
export const isNodeFailure = (error: unknown): boolean => readFailure(error) instanceof StoreUnavailable;

/** The node sent nothing at all, so there is no point in asking it anything else. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof NodeAbandoned ||
  isOfType(error, 'cancelled') ||
  (isOfType(error, 'unavailable') && !isNotReady(error));

const isNotReady = (error: unknown): boolean => NO_LEADER.test(describe(error)?.message ?? '');

/**
 * The driver asks a server for its capabilities once and caches the answer, even a failure. It drops a failure only if
 * the status was "unavailable"; after any other, every further append fails the same way without being sent.
 */
export function breaksClient(error: unknown): boolean {
  const found = describe(error);
  if (!found || found.type !== undefined || error instanceof TimedOut || error instanceof NodeAbandoned) return false;
  return DISCOVERY_FAILED.test(found.message) || (typeof found.code === 'number' && found.code !== UNAVAILABLE);
}
