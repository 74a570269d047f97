import { type Collection, type Document } from '../projection';
import { type Position } from '../../event-store/event-store.port';
import {
  checkCollections,
  checkPosition,
  checkWrites,
  cursorOf,
  fittingCursor,
  isFull,
  MAX_ID_LENGTH,
  searchedIndex,
  type IndexValue,
} from '../index-place';
import {
  type DocumentRef,
  type FirstPage,
  type Page,
  type PageRequest,
  type ReadModelState,
  type ReadModelStore,
  type Stored,
} from '../read-model.port';
import { asUnreadable, isKnownDamaged, noteDamage, ReadModelUnreadable, reasonOf } from './environment';
import { countingIndexes } from './index-sum';
import { documentKey, indexKey, MAX_KEY_BYTES, searchRange } from './keys';
import { LastLoaded } from './last-loaded';
import { decodeDocument, decodeStored, documentBytesIn, encodeNote, encodeStored } from './stored-codec';
import { bookmarkOf, checkpointIn, FINGERPRINT, moveCheckpoint, startOver } from './checkpoint';
import { advance, everyStored, noteAt, positionAt, rebuildIndexes, storeIfNewer, type Tables } from './tables';

/**
 * The read model in one LMDB environment. apply is atomic, and resolves when its transaction is visible; nothing waits
 * for the disk. A killed process loses nothing, and after a power failure it is rebuilt from the log (proving.ts).
 */
export class LmdbReadModelStore implements ReadModelStore {
  readonly lease = undefined;
  readonly isRemote = false;
  private closing: Promise<void> | undefined;
  private readonly loaded = new LastLoaded();
  private writing = 0;
  private damaged: ReadModelUnreadable | undefined;

  constructor(
    private readonly directory: string,
    private readonly tables: Tables,
    private readonly onClosed: () => Promise<void> = () => Promise.resolve(),
  ) {}

  async get<D extends Document>(collection: Collection<D>, id: string): Promise<D | undefined> {
    return this.read(() => {
      const text = this.textOf(collection.name, id);
      return text === undefined ? undefined : (decodeDocument(text) as D);
    });
  }

  async getAll<D extends Document>(
    collection: Collection<D>,
    ids: readonly string[],
    bytes = Infinity,
  ): Promise<readonly D[]> {
    return this.read(() => this.taken(collection, ids, { limit: ids.length, bytes }).documents);
  }

  async find<D extends Document>(
    collection: Collection<D>,
    indexName: string,
    equals: readonly IndexValue[],
    page: PageRequest,
  ): Promise<Page<D>> {
    const index = searchedIndex(collection, indexName, equals, page);
    const { start, end } = searchRange(collection.name, indexName, equals);
    const cursor = fittingCursor(index, page.after);
    const from =
      cursor &&
      indexKey(collection.name, indexName, { equals, sort: cursor.sort }, cursor.id).subarray(0, MAX_KEY_BYTES);
    const reverse = page.order === 'desc';
    const range = reverse ? { start: from ?? end, end: start } : { start: from ?? start, end };
    return this.read(() => {
      const entries = this.tables.indexes.getRange({ ...range, reverse, exclusiveStart: true, limit: page.limit + 1 });
      const { documents, isCut } = this.taken(
        collection,
        entries.map(({ value: id }) => id),
        page,
      );
      const last = documents.at(-1);
      return { documents, next: isCut && last !== undefined ? cursorOf(index, last) : null };
    });
  }

  findEach: ReadModelStore['findEach'] = async (collection, index, equals, page) => {
    const pages = await Promise.all(equals.map((values) => this.find(collection, index, values, page)));
    return pages.map(({ documents }) => documents);
  };

  count: ReadModelStore['count'] = async (collection, index, equals, upTo) => {
    searchedIndex(collection, index, equals, { limit: upTo });
    const range = searchRange(collection.name, index, equals);
    return this.read(() => [...this.tables.indexes.getKeys({ ...range, limit: upTo })].length);
  };

  async prepare(collections: readonly Collection<Document>[]): Promise<void> {
    checkCollections(collections);
    for (const collection of collections) {
      const declared = JSON.stringify(Object.entries(collection.indexes));
      const noted = `indexes of ${collection.name}`;
      if (this.read(() => noteAt(this.tables, noted)) === declared) continue;
      await this.write(() => {
        countingIndexes(this.tables, (counted) => rebuildIndexes(this.tables, collection, counted));
        this.tables.state.putSync(noted, encodeNote(declared));
      });
    }
  }

  async state(): Promise<ReadModelState> {
    return this.read(() => ({ ...checkpointIn(this.tables), fingerprint: noteAt(this.tables, FINGERPRINT) }));
  }

  async load(refs: readonly DocumentRef[]): Promise<readonly (Stored | undefined)[]> {
    return this.read(() => {
      this.loaded.forget();
      return refs.map(({ collection, id }) => {
        const text = this.textOf(collection.name, id);
        if (text === undefined) return undefined;
        const stored = decodeStored(text);
        if (this.writing === 0) this.loaded.keep(collection, id, stored);
        return stored;
      });
    });
  }

  apply: ReadModelStore['apply'] = async (writes, checkpoint, _parts, event) => {
    const places = checkWrites(writes, checkpoint);
    const prepared = writes.map(({ collection, document, position }, index) => ({
      collection,
      document,
      position,
      places: places[index] ?? [],
      key: documentKey(collection.name, document.id),
      value: encodeStored(document, position),
      before: this.loaded.take(collection, document.id),
    }));
    await this.write(() => {
      countingIndexes(this.tables, (counted) => {
        for (const write of prepared) storeIfNewer(this.tables, write, counted);
      });
      moveCheckpoint(this.tables, checkpoint, event);
    });
  };

  async reset(fingerprint: string, end?: Position): Promise<void> {
    await this.write(() => startOver(this.tables, fingerprint, end));
  }

  dump(collection: Collection<Document>): AsyncIterable<Stored> {
    return everyStored(this.tables, collection.name, (action) => this.read(action));
  }

  async bookmark(name: string): Promise<Position> {
    return this.read(() => positionAt(this.tables, bookmarkOf(name)));
  }

  async setBookmark(name: string, position: Position): Promise<void> {
    checkPosition(position);
    await this.write(() => advance(this.tables, bookmarkOf(name), position));
  }

  async ping(): Promise<void> {
    const damage = this.damage();
    if (damage !== undefined) throw damage;
    await this.state();
  }

  damage(): Error | undefined {
    if (this.damaged === undefined && isKnownDamaged(this.directory))
      this.damaged = new ReadModelUnreadable(this.directory, 'another thread found it damaged');
    return this.damaged;
  }

  /** Makes reads show what another thread has written. */
  refresh(): void {
    if (this.closing === undefined) this.tables.environment.resetReadTxn();
  }

  close(): Promise<void> {
    this.closing ??= this.tables.environment.close().then(this.onClosed);
    return this.closing;
  }

  private textOf(collection: string, id: string): string | undefined {
    return id.length > MAX_ID_LENGTH ? undefined : this.tables.documents.get(documentKey(collection, id));
  }

  /** What fits into the page of documents that an index or a feed names, and whether there is more. */
  private taken<D extends Document>({ name }: Collection<D>, ids: Iterable<string>, page: FirstPage) {
    const documents: D[] = [];
    let bytes = 0;
    for (const id of ids) {
      if (documents.length > 0 && isFull(page, documents.length, bytes)) return { documents, isCut: true };
      const text = this.textOf(name, id);
      if (text === undefined) throw new SyntaxError(`${id} was written, and is not there`);
      bytes += documentBytesIn(text);
      documents.push(decodeDocument(text) as D);
    }
    return { documents, isCut: false };
  }

  /** LMDB keeps one snapshot until the next await: what `action` reads is consistent. */
  private read<T>(action: () => T): T {
    // On a closed environment LMDB itself would end the process.
    if (this.closing !== undefined) throw new Error(`the read model in ${this.directory} is closed`);
    try {
      return action();
    } catch (error) {
      throw this.noted(asUnreadable(this.directory, error));
    }
  }

  /** Records damage found while reading: the store is no longer ready, and the next start rebuilds it. */
  private noted(error: unknown): unknown {
    if (error instanceof ReadModelUnreadable) {
      noteDamage(this.directory, error.message);
      this.damaged = error;
    }
    return error;
  }

  /** A child transaction, because LMDB rolls back only those when the action throws. */
  private async write(action: () => void): Promise<void> {
    if (this.closing !== undefined) throw new Error(`the read model in ${this.directory} is closed`);
    this.loaded.forget();
    this.writing += 1;
    try {
      await this.tables.environment.childTransaction(action);
    } catch (error) {
      throw this.noted(asUnreadable(this.directory, await reasonOf(error)));
    } finally {
      this.writing -= 1;
    }
  }
}
