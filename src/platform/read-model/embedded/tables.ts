import { chmodSync, mkdirSync } from 'node:fs';
import { open, type Database, type RootDatabase } from 'lmdb';
import { type Collection, type Document } from '../projection';
import { LOG_START, type Position } from '../../event-store/event-store.port';
import { maxBookmark } from '../max-bookmark';
import { type IndexPlace, type Places, placesOf } from '../index-place';
import { type Stored } from '../read-model.port';
import { type Counted } from './index-sum';
import { documentsOf, indexesOf, indexKey } from './keys';
import { decodeDocument, decodeNote, decodeStored, encodeNote } from './stored-codec';

/** The three tables of the environment. Index entries hold the id of their document. */
export type Tables = Readonly<{
  environment: RootDatabase<string, string>;
  documents: Database<string, Buffer>;
  indexes: Database<string, Buffer>;
  state: Database<string, string>;
}>;

export async function openTables(directory: string): Promise<Tables> {
  // Readable only by its owner, like the log it is built from; LMDB's default would let everyone read it.
  mkdirSync(directory, { recursive: true });
  chmodSync(directory, 0o700);
  const environment = open<string, string>({
    path: directory,
    encoding: 'string',
    // Without it LMDB would take a directory with a dot in its name for a file.
    noSubdir: false,
    // The read model is only a copy: after a machine crash it is rebuilt (proving.ts), so no batch waits for the disk.
    noSync: true,
    // With it, lmdb keeps an internal promise that rejects unhandled when a commit fails, which would end the process.
    eventTurnBatching: false,
  });
  try {
    return {
      environment,
      documents: environment.openDB<string, Buffer>('documents', { encoding: 'string', keyEncoding: 'binary' }),
      indexes: environment.openDB<string, Buffer>('indexes', { encoding: 'string', keyEncoding: 'binary' }),
      state: environment.openDB<string, string>('state', { encoding: 'string' }),
    };
  } catch (error) {
    await environment.close();
    throw error;
  }
}

/** Missing tables are undefined here, whatever the types say: then nothing has been built yet. */
export function openTablesReadOnly(directory: string): Tables {
  const environment = open<string, string>({ path: directory, encoding: 'string', noSubdir: false, readOnly: true });
  return {
    environment,
    documents: environment.openDB<string, Buffer>('documents', { encoding: 'string', keyEncoding: 'binary' }),
    indexes: environment.openDB<string, Buffer>('indexes', { encoding: 'string', keyEncoding: 'binary' }),
    state: environment.openDB<string, string>('state', { encoding: 'string' }),
  };
}

export type PreparedWrite = Readonly<{
  collection: Collection<Document>;
  document: Document;
  position: Position;
  places: Places;
  key: Buffer;
  value: string;
  /** The stored document, if it was loaded to compute the new one and nothing has been written since. */
  before: Stored | undefined;
}>;

/** Inside a write transaction: stores the document with its index entries unless the stored one is as new. */
export function storeIfNewer(tables: Tables, write: PreparedWrite, counted: Counted): void {
  const { collection, document, places, key, position, value } = write;
  const before = write.before ?? storedAt(tables, key);
  if (before !== undefined && before.position >= position) return;
  const placesBefore = before === undefined ? [] : placesOf(collection, before.document);
  moveInIndexes(tables, counted, collection, document.id, placesBefore, places);
  tables.documents.putSync(key, value);
}

function storedAt({ documents }: Tables, key: Buffer): Stored | undefined {
  const text = documents.get(key);
  return text === undefined ? undefined : decodeStored(text);
}

function moveInIndexes(
  { indexes }: Tables,
  counted: Counted,
  collection: Collection<Document>,
  id: string,
  before: Places,
  now: Places,
): void {
  Object.keys(collection.indexes).forEach((index, at) => {
    const from = before[at];
    const to = now[at];
    if (from !== undefined && to !== undefined && isSamePlace(from, to)) return;
    if (from !== undefined) {
      const key = indexKey(collection.name, index, from, id);
      if (indexes.removeSync(key)) counted(key, -1);
    }
    if (to !== undefined) {
      const key = indexKey(collection.name, index, to, id);
      indexes.putSync(key, id);
      counted(key, 1);
    }
  });
}

const isSamePlace = (one: IndexPlace, other: IndexPlace): boolean =>
  one.sort === other.sort && one.equals.every((value, at) => value === other.equals[at]);

/** Inside a write transaction: drops a collection's index entries and rebuilds them from its documents. */
export function rebuildIndexes(tables: Tables, collection: Collection<Document>, counted: Counted): void {
  for (const key of [...tables.indexes.getKeys(indexesOf(collection.name))]) {
    tables.indexes.removeSync(key);
    counted(key, -1);
  }
  for (const { value } of tables.documents.getRange(documentsOf(collection.name))) {
    const document = decodeDocument(value);
    moveInIndexes(tables, counted, collection, document.id, [], placesOf(collection, document));
  }
}

export function noteAt({ state }: Tables, name: string): string | undefined {
  const note = state.get(name);
  return note === undefined ? undefined : decodeNote(note);
}

export function positionAt(tables: Tables, name: string): Position {
  const text = noteAt(tables, name);
  return text === undefined ? LOG_START : BigInt(text);
}

/** Inside a write transaction. Never moves back. */
export function advance(tables: Tables, name: string, position: Position): void {
  if (position > positionAt(tables, name)) tables.state.putSync(name, encodeNote(String(position)));
}

/** Inside a write transaction: lowers every position with this prefix to what a log with this end can have. */
export function clampPositions(tables: Tables, prefix: string, end: Position): void {
  for (const name of [...tables.state.getKeys()].filter((one) => one.startsWith(prefix))) {
    const furthest = maxBookmark(name, end);
    if (positionAt(tables, name) > furthest) tables.state.putSync(name, encodeNote(String(furthest)));
  }
}

const DUMP_PAGE_SIZE = 500;

/** Every document of a collection, in pages: a snapshot held for long would keep the file from reusing what is free. */
export async function* everyStored(
  { documents }: Tables,
  collection: string,
  read: <T>(action: () => T) => T,
): AsyncIterable<Stored> {
  const { start, end } = documentsOf(collection);
  let from = start;
  for (;;) {
    const page = read(() => [...documents.getRange({ start: from, end, exclusiveStart: true, limit: DUMP_PAGE_SIZE })]);
    for (const { value } of page) yield read(() => decodeStored(value));
    const last = page.at(-1);
    if (last === undefined) return;
    from = last.key;
  }
}
