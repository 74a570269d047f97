import {
  MongoBulkWriteError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';
import { RunningTimeout } from '../../../kernel/running-timeout';
import { StoreUnavailable } from '../../event-store/event-store.port';

/**
 * Server errors that are temporary: it steps down, starts, stops, timed out on others or on a lock (24, 46), lost its
 * operation, has an outdated view of the shards (63, 150, 13388), or somebody dropped what it was building an index on
 * (276). Not 100: a write concern that no member can satisfy is a mistake in the configuration, which waiting hides.
 */
const TEMPORARY_CODES = new Set([
  6, 7, 24, 43, 46, 50, 63, 64, 89, 91, 112, 133, 134, 150, 175, 189, 202, 237, 262, 276, 365, 9001, 10058, 10107,
  11600, 11601, 11602, 13388, 13435, 13436,
]);
/** A router or proxy whose backend is unavailable has only these codes for it. */
const AMBIGUOUS_CODES = new Set([1, 8]);
const BACKEND_UNAVAILABLE =
  /connect(ion|ing)? .*(refused|reset|closed|failed|error)|failed to connect|no route to host|dial tcp|unreachable|shard .*(not found|unavailable)|i\/o timeout/i;
/** System calls that fail if DNS does not answer, for the SRV name or for a server's own name. */
const RESOLVING = /^(query(Srv|Txt|A|Aaaa|Cname)|getaddrinfo)/;

class TimedOut extends Error {
  constructor(ms: number) {
    super(`MongoDB did not answer within ${ms} ms`);
    this.name = 'Overdue';
  }
}

/** Waits no longer than `timeoutMs`, and turns every error that means an unavailable MongoDB into StoreUnavailable. */
export async function withTimeout<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  let timer: RunningTimeout | undefined;
  const overdue = new Promise<never>((_, reject) => {
    timer = new RunningTimeout(() => reject(new TimedOut(timeoutMs)), timeoutMs);
  });
  try {
    return await Promise.race([work(), overdue]);
  } catch (error) {
    throw isUnavailable(error) ? new StoreUnavailable('unknown', withoutDocuments(error)) : withoutDocuments(error);
  } finally {
    timer?.clear();
  }
}

function isUnavailable(error: unknown): boolean {
  if (error instanceof TimedOut || error instanceof MongoServerSelectionError || error instanceof MongoNetworkError)
    return true;
  if (error instanceof MongoNotConnectedError || error instanceof MongoTopologyClosedError) return true;
  // A bulk write wraps the driver's error, and for a lost connection keeps neither its class nor its code.
  if (error instanceof MongoBulkWriteError && error.code === undefined && [error.writeErrors].flat().length === 0)
    return true;
  if (error instanceof MongoServerError) return isTemporary(error);
  if (isOfResolver(error)) return true;
  return error instanceof Error && error.name === 'MongoWaitQueueTimeoutError';
}

function isTemporary(error: MongoServerError): boolean {
  const code = Number(error.code);
  return TEMPORARY_CODES.has(code) || (AMBIGUOUS_CODES.has(code) && BACKEND_UNAVAILABLE.test(error.message));
}

function isOfResolver(error: unknown): boolean {
  const { syscall } = (error ?? {}) as { syscall?: unknown };
  return typeof syscall === 'string' && RESOLVING.test(syscall);
}

/** A failed bulk write carries its documents, which do not belong in a log. */
const withoutDocuments = (error: unknown): unknown =>
  error instanceof MongoBulkWriteError
    ? new Error(`MongoDB write failed: ${error.message} (code ${error.code})`)
    : error;
