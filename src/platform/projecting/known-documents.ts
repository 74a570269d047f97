import { RecentlyUsed } from '../../kernel/recently-used';
import { keyOf } from '../read-model/plan-writes';
import { type DocumentRef, type Stored } from '../read-model/read-model.port';

/** A document is about a kilobyte. */
const KEPT = 4_000;

/**
 * Documents as the last batches left them. Projecting is deterministic, so an entry stays right as long as every later
 * event passes through here; a changed store or another writer ends that.
 */
export class KnownDocuments {
  private readonly documents = new RecentlyUsed<string, Stored>(KEPT);

  /** From the cache, else from the store. */
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
