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
import { type FileNote } from '../../lmdb-file';
import { documentKey, indexKey, MAX_KEY_BYTES, searchRange } from './keys';
import { LastLoaded } from './last-loaded';
import {
  advance,
  bookmarkOf,
  checkpointIn,
  decodeDocument,
  decodeStored,
  documentBytesIn,
  encodeStored,
  everyStored,
  FINGERPRINT,
  moveCheckpoint,
  positionAt,
  reasonOf,
  rebuildIndexes,
  startOver,
  storeIfNewer,
  type Tables,
  unreadable,
} from './tables';

/**
 * The read model in one LMDB environment. apply is atomic, and resolves when its transaction is visible; nothing waits
 * for the disk. A killed process loses nothing, and after a power failure it is rebuilt from the log (open.ts).
 */
export class LmdbReadModelStore implements ReadModelStore {
  readonly lease = undefined;
  readonly isRemote = false;
  private closing: Promise<void> | undefined;
  private readonly loaded = new LastLoaded();
  private writing = 0;
  private isDistrusted = false;

  constructor(
    private readonly directory: string,
    private readonly tables: Tables,
    private readonly note: FileNote,
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
      if (this.read(() => this.tables.state.get(noted)) === declared) continue;
      await this.write(() => {
        rebuildIndexes(this.tables, collection);
        this.tables.state.putSync(noted, declared);
      });
    }
  }

  async state(): Promise<ReadModelState> {
    return this.read(() => ({ ...checkpointIn(this.tables), fingerprint: this.tables.state.get(FINGERPRINT) }));
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
      for (const write of prepared) storeIfNewer(this.tables, write);
      moveCheckpoint(this.tables, checkpoint, event);
    });
  };

  async reset(fingerprint: string, end?: Position): Promise<void> {
    // Walks through every page that it drops: if one of them ends the process, the next begins with an empty file.
    this.note.opening();
    await this.write(() => startOver(this.tables, fingerprint, end));
    if (!this.isDistrusted) this.note.open();
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
    await this.state();
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
      throw this.noted(error);
    }
  }

  /** Damage that was met in use, by chance: the next start rebuilds the file. */
  private noted(error: unknown): unknown {
    const found = unreadable(this.directory, error);
    if (found === undefined) return error;
    if (!this.isDistrusted) this.note.opening();
    this.isDistrusted = true;
    return found;
  }

  /** A child transaction, because LMDB rolls back only those when the action throws. */
  private async write(action: () => void): Promise<void> {
    if (this.closing !== undefined) throw new Error(`the read model in ${this.directory} is closed`);
    this.loaded.forget();
    this.writing += 1;
    try {
      await this.tables.environment.childTransaction(action);
    } catch (error) {
      throw this.noted(await reasonOf(error));
    } finally {
      this.writing -= 1;
    }
  }
}
