import { BSON } from 'mongodb';
import { type StoredFields } from './connection';
import { type GuardedWrite } from './guarded-writes';

/** What MongoDB accepts, less what a write adds around its document. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024 - 16 * 1024;

export type SetAside = Readonly<{ collection: string; id: string; bytes: number }>;

export const bytesOf = (write: StoredFields): number => BSON.calculateObjectSize(write);

export const fits = ({ fields }: GuardedWrite): boolean => bytesOf(fields) <= MAX_DOCUMENT_BYTES;
