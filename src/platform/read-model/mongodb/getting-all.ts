import { type Document } from '../projection';
import { StoreUnavailable } from '../../event-store/event-store.port';
import { type Stored } from '../read-model.port';
import { BATCH_SIZE, sizeOf } from './searching';

/**
 * Documents by their ids up to a size, in batches if there is one. Without those that were set aside: whatever else is
 * missing is being written again, and a reader who passed over it would never see it.
 */
export async function getAll<D extends Document>(
  ids: readonly string[],
  bytes: number | undefined,
  ask: Readonly<{
    load: (ids: readonly string[]) => Promise<readonly (Stored | undefined)[]>;
    countSetAside: (ids: readonly string[]) => Promise<number>;
  }>,
): Promise<readonly D[]> {
  const documents: D[] = [];
  const missing: string[] = [];
  let size = 0;
  const isFull = (): boolean => bytes !== undefined && documents.length > 0 && size >= bytes;
  const batchSize = bytes === undefined ? ids.length : BATCH_SIZE;
  for (let at = 0; at < ids.length && !isFull(); at += batchSize) {
    const batch = ids.slice(at, at + batchSize);
    for (const [index, found] of (await ask.load(batch)).entries()) {
      if (isFull()) break;
      if (found === undefined) {
        missing.push(batch[index] ?? '');
        continue;
      }
      documents.push(found.document as D);
      if (bytes !== undefined) size += sizeOf(found.document);
    }
  }
  if (missing.length > 0 && (await ask.countSetAside(missing)) < missing.length)
    throw new StoreUnavailable(
      'unknown',
      new Error('documents are missing: if no rebuild is under way, run projections:rebuild'),
    );
  return documents;
}
