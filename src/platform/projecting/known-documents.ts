import { RecentlyUsed } from '../../kernel/recently-used';
import { roughSize } from '../../kernel/rough-size';
import { keyOf } from '../read-model/plan-writes';
import { type DocumentRef, type Stored } from '../read-model/read-model.port';

/** A document is about a kilobyte, but some hold what a caller sent, which may be a whole body. */
const MAX_DOCUMENTS = 4_000;
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * A cache of the documents that the last batches wrote or read. Projecting is deterministic, so an entry stays valid as
 * long as every later event is projected here; a changed store or another writer invalidates the cache.
 */
export class KnownDocuments {
  private readonly documents = new RecentlyUsed<string, Stored>(MAX_DOCUMENTS, { bytes: MAX_BYTES, of: roughSize });

  async load(
    refs: readonly DocumentRef[],
    fromStore: (refs: readonly DocumentRef[]) => Promise<readonly (Stored | undefined)[]>,
  ): Promise<readonly (Stored | undefined)[]> {
    const found = refs.map((ref) => this.documents.get(keyOf(ref)));
    const missing = refs.filter((_, at) => found[at] === undefined);
    if (missing.length === 0) return found;
    const stored = (await fromStore(missing)).values();
    return found.map((known) => known ?? stored.next().value);
  }

  /** Call once the documents are written. */
  keep(left: ReadonlyMap<string, Stored>): void {
    for (const [key, stored] of left) this.documents.set(key, stored);
  }

  forget(): void {
    this.documents.clear();
  }
}
