import {
  MongoBulkWriteError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';
import { StoreUnavailable } from '../../event-store/event-store.port';

/** Server answers that mean "not now": it steps down, starts, stops, or waited too long for others. */
const NOT_NOW = new Set([6, 7, 50, 64, 89, 91, 134, 175, 189, 262, 9001, 10058, 10107, 11600, 11602, 13435, 13436]);

class Overdue extends Error {
  constructor(ms: number) {
    super(`MongoDB did not answer within ${ms} ms`);
    this.name = 'Overdue';
  }
}

/** Waits for MongoDB no longer than `withinMs`, and turns every sign of its absence into StoreUnavailable. */
export async function answered<T>(withinMs: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Overdue(withinMs)), withinMs);
  });
  try {
    return await Promise.race([work(), overdue]);
  } catch (error) {
    throw isUnavailable(error) ? new StoreUnavailable('unknown', withoutDocuments(error)) : withoutDocuments(error);
  } finally {
    clearTimeout(timer);
  }
}

function isUnavailable(error: unknown): boolean {
  if (error instanceof Overdue || error instanceof MongoServerSelectionError || error instanceof MongoNetworkError)
    return true;
  if (error instanceof MongoNotConnectedError || error instanceof MongoTopologyClosedError) return true;
  // A bulk write wraps what the driver met on the way, and of a lost connection keeps neither class nor code.
  if (error instanceof MongoBulkWriteError && error.code === undefined && [error.writeErrors].flat().length === 0)
    return true;
  if (error instanceof MongoServerError) return NOT_NOW.has(Number(error.code));
  return error instanceof Error && error.name === 'MongoWaitQueueTimeoutError';
}

/** A failed bulk write carries its documents, which do not belong into a log. */
const withoutDocuments = (error: unknown): unknown =>
  error instanceof MongoBulkWriteError
    ? new Error(`MongoDB write failed: ${error.message} (code ${error.code})`)
    : error;
