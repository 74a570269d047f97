import { MongoBulkWriteError } from 'mongodb';
import { allAtOnce, type StoredCollection, type StoredFields } from './connection';

const DUPLICATE_KEY = 11000;
const ATTEMPTS_WITHOUT_PROGRESS = 10;

/** `isNew`: to be inserted without looking for an older one first, as long as no insert fails. */
export type GuardedWrite = Readonly<{ fields: StoredFields; isNew?: boolean }>;

/**
 * Stores the writes in order, each only over an older document. The guard is in the filter of an upsert, so a write
 * that is not newer tries to insert a second document with that id and fails as a duplicate, which ends an ordered bulk
 * write. The stored positions are then read once, stale writes left out, and the rest sent again: one round trip if
 * nothing is stale, three if a whole batch is repeated. A new document is inserted, which fails in the same way. A duplicate may also mean that another writer created the
 * document just before; then the second attempt replaces it or finds it newer.
 */
export async function storeGuarded(collection: StoredCollection, writes: readonly GuardedWrite[]): Promise<void> {
  let rest = writes;
  let attempts = 0;
  while (rest.length > 0) {
    const stoppedAt = await storeUntilDuplicate(collection, rest);
    if (stoppedAt === undefined) return;
    attempts = stoppedAt === 0 ? attempts + 1 : 1;
    if (attempts > ATTEMPTS_WITHOUT_PROGRESS)
      throw new Error(
        `${collection.collectionName} holds a document at ${rest[0]?.fields._id} that cannot be replaced`,
      );
    rest = await withoutStale(collection, rest.slice(stoppedAt));
  }
}

async function storeUntilDuplicate(
  collection: StoredCollection,
  writes: readonly GuardedWrite[],
): Promise<number | undefined> {
  try {
    await collection.bulkWrite(
      writes.map(({ fields, isNew = false }) =>
        isNew ? { insertOne: { document: fields } } : { replaceOne: guardedReplacement(fields) },
      ),
      { ordered: true },
    );
    return undefined;
  } catch (error) {
    const failed = error instanceof MongoBulkWriteError ? [error.writeErrors].flat()[0] : undefined;
    if (failed?.code === DUPLICATE_KEY) return failed.index;
    throw error;
  }
}

export const guardedReplacement = ({ _id, ...replacement }: StoredFields) => ({
  filter: { _id, position: { $lt: replacement.position } },
  replacement,
  upsert: true,
});

/** Nothing is taken to be new any more. */
async function withoutStale(
  collection: StoredCollection,
  writes: readonly GuardedWrite[],
): Promise<readonly GuardedWrite[]> {
  const ids = [...new Set(writes.map(({ fields: { _id } }) => _id))];
  const found = await collection
    .find({ _id: { $in: ids } }, { projection: { position: 1 }, ...allAtOnce(ids) })
    .toArray();
  const positions = new Map(found.map(({ _id, position }) => [_id, position]));
  return writes.flatMap(({ fields }) => {
    const there = positions.get(fields._id);
    return there === undefined || there < fields.position ? [{ fields }] : [];
  });
}
