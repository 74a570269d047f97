import { BSON, type Collection } from 'mongodb';
import { type StateEntry } from './bookmarks';
import { type StoredFields } from './connection';
import { type GuardedWrite } from './guarded-writes';

/** What MongoDB accepts, less what a write adds around its document. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024 - 16 * 1024;

export type SetAside = Readonly<{ collection: string; id: string; bytes: number }>;

const bytesOf = (write: StoredFields): number => BSON.calculateObjectSize(write);

export const fits = ({ fields }: GuardedWrite): boolean => bytesOf(fields) <= MAX_DOCUMENT_BYTES;

const noteOf = (collection: string, id: string): string => `set aside ${collection}/${id}`;

/** For operators: reads keep showing the last version that fitted. */
export async function noteSetAside(
  state: Collection<StateEntry>,
  collection: string,
  write: StoredFields,
): Promise<SetAside> {
  const what = { collection, id: write._id, bytes: bytesOf(write) };
  const note = { position: write.position, bytes: what.bytes };
  await state.updateOne({ _id: noteOf(collection, write._id) }, { $set: note }, { upsert: true });
  return what;
}

/** How many of these documents have a version that was set aside. */
export const countSetAside = (
  state: Collection<StateEntry>,
  collection: string,
  ids: readonly string[],
): Promise<number> => state.countDocuments({ _id: { $in: ids.map((id) => noteOf(collection, id)) } }).then(Number);
