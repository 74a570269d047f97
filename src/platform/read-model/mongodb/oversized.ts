import { BSON, MongoInvalidArgumentError, MongoServerError } from 'mongodb';
import { type StoredFields } from './connection';

const OBJECT_TOO_LARGE = 10334;
/** What MongoDB takes, less what a write says around its document. */
const LARGEST_BYTES = 16 * 1024 * 1024 - 16 * 1024;

export type SetAside = Readonly<{ collection: string; id: string; bytes: number }>;

/** The driver looks before it sends anything, the server afterwards. */
export function isTooLarge(error: unknown): boolean {
  if (error instanceof MongoServerError) return Number(error.code) === OBJECT_TOO_LARGE;
  return error instanceof MongoInvalidArgumentError && /larger than the maximum size/i.test(error.message);
}

export const bytesOf = (write: StoredFields): number => BSON.calculateObjectSize(write);

export const fits = (write: StoredFields): boolean => bytesOf(write) <= LARGEST_BYTES;
