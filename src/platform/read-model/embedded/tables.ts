import { open, type Database, type RootDatabase } from 'lmdb';
import { type Collection, type Document } from '../projection';
import { LOG_START, type Position } from '../../event-store/event-store.port';
import { maxBookmark } from '../max-bookmark';
import { type IndexPlace, type Places, placesOf } from '../index-place';
import { type Checkpoint, type Stored } from '../read-model.port';
import { documentsOf, indexesOf, indexKey } from './keys';

/** The read model's file cannot be trusted. Nothing is lost with it: the log holds everything. */
export class ReadModelUnreadable extends Error {
  constructor(directory: string, why: string, cause?: unknown) {
    super(
      `the read model in ${directory} is unreadable (${why}): start the service anew, which rebuilds it from the log; nothing is lost`,
      { cause },
    );
    this.name = 'ReadModelUnreadable';
  }
}

const BROKEN_FILE = /^MDB_(CORRUPTED|INVALID|PAGE_NOTFOUND|PANIC|VERSION_MISMATCH)|^MDB_BAD_TXN.*freelist/;

/** If this is what LMDB, or the JSON inside, reports of a broken file. */
export function unreadable(directory: string, error: unknown): ReadModelUnreadable | undefined {
  // By name and text: errors from LMDB's native part are not always instances of the Error known here.
  const { name, message } = error as { name?: unknown; message?: unknown };
  if (typeof message !== 'string' || (name !== 'SyntaxError' && !BROKEN_FILE.test(message))) return undefined;
  return new ReadModelUnreadable(directory, message.split('\n')[0] ?? message, error);
}

/** A failed commit reports its cause in a second promise, which needs a handler: unhandled it would end the process. */
export async function reasonOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: unknown };
  if (commitError === undefined) return error;
  const cause = Promise.resolve(commitError).catch((reason: unknown) => reason);
  const soon = new Promise((resolve) => setImmediate(resolve, error));
  return Promise.race([cause, soon]);
}

/** The three tables of the environment. Index entries hold the id of their document. */
export type Tables = Readonly<{
  environment: RootDatabase<string, string>;
  documents: Database<string, Buffer>;
  indexes: Database<string, Buffer>;
  state: Database<string, string>;
}>;

export async function openTables(directory: string): Promise<Tables> {
  const environment = open<string, string>({
    path: directory,
    encoding: 'string',
    // Without it LMDB would take a directory with a dot in its name for a file.
    noSubdir: false,
    // The read model is only a copy: after a machine crash it is rebuilt (open.ts), so no batch waits for the disk.
    noSync: true,
    // With it, lmdb keeps an internal promise that rejects unhandled when a commit fails, which would end the process.
    eventTurnBatching: false,
  });
  try {
    return tablesIn(environment);
  } catch (error) {
    await environment.close();
    throw error;
  }
}

/** Missing tables are undefined here, whatever the types say: then nothing has been built yet. */
export const openTablesReadOnly = (directory: string): Tables =>
  tablesIn(open<string, string>({ path: directory, encoding: 'string', noSubdir: false, readOnly: true }));

const tablesIn = (environment: RootDatabase<string, string>): Tables => ({
  environment,
  documents: environment.openDB<string, Buffer>('documents', { encoding: 'string', keyEncoding: 'binary' }),
  indexes: environment.openDB<string, Buffer>('indexes', { encoding: 'string', keyEncoding: 'binary' }),
  state: environment.openDB<string, string>('state', { encoding: 'string' }),
});

/**
 * A stored document is the JSON text `["<position>",<document>]`. JSON preserves key order, every number and keys such
 * as `__proto__`; the position comes first so that a document's size follows from it.
 */
export const encodeStored = (document: Document, position: Position): string =>
  `["${position}",${JSON.stringify(document)}]`;

export const decodeDocument = (stored: string): Document => (JSON.parse(stored) as [string, Document])[1];

export function decodeStored(stored: string): Stored {
  const [position, document] = JSON.parse(stored) as [string, Document];
  return { document, position: BigInt(position) };
}

/** The size of the document alone: the position before it has as many digits as the event store gives it. */
export const documentBytesIn = (stored: string): number =>
  Buffer.byteLength(stored) - stored.indexOf(',') - ',]'.length;

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
export function storeIfNewer(tables: Tables, write: PreparedWrite): void {
  const { collection, document, places, key, position, value } = write;
  const before = write.before ?? storedAt(tables, key);
  if (before !== undefined && before.position >= position) return;
  const placesBefore = before === undefined ? [] : placesOf(collection, before.document);
  moveInIndexes(tables, collection, document.id, placesBefore, places);
  tables.documents.putSync(key, value);
}

function storedAt({ documents }: Tables, key: Buffer): Stored | undefined {
  const text = documents.get(key);
  return text === undefined ? undefined : decodeStored(text);
}

function moveInIndexes(
  { indexes }: Tables,
  collection: Collection<Document>,
  id: string,
  before: Places,
  now: Places,
): void {
  Object.keys(collection.indexes).forEach((index, at) => {
    const from = before[at];
    const to = now[at];
    if (from !== undefined && to !== undefined && isSamePlace(from, to)) return;
    if (from !== undefined) indexes.removeSync(indexKey(collection.name, index, from, id));
    if (to !== undefined) indexes.putSync(indexKey(collection.name, index, to, id), id);
  });
}

const isSamePlace = (one: IndexPlace, other: IndexPlace): boolean =>
  one.sort === other.sort && one.equals.every((value, at) => value === other.equals[at]);

/** Inside a write transaction: drops a collection's index entries and rebuilds them from its documents. */
export function rebuildIndexes(tables: Tables, collection: Collection<Document>): void {
  for (const key of [...tables.indexes.getKeys(indexesOf(collection.name))]) tables.indexes.removeSync(key);
  for (const { value } of tables.documents.getRange(documentsOf(collection.name))) {
    const document = decodeDocument(value);
    moveInIndexes(tables, collection, document.id, [], placesOf(collection, document));
  }
}

export const bookmarkOf = (name: string): string => `bookmark of ${name}`;
const CHECKPOINT = 'checkpoint';
/** The id of the event at the checkpoint. */
const CHECKPOINT_EVENT = 'event of the checkpoint';
/** Of the projections that built the documents. */
export const FINGERPRINT = 'fingerprint';

export const checkpointIn = (tables: Tables): Checkpoint => ({
  position: positionAt(tables, CHECKPOINT),
  event: tables.state.get(CHECKPOINT_EVENT),
});

/** Inside a write transaction. Never moves back. */
export function moveCheckpoint(tables: Tables, position: Position, event: string | undefined): void {
  if (position <= positionAt(tables, CHECKPOINT)) return;
  tables.state.putSync(CHECKPOINT, String(position));
  if (event === undefined) tables.state.removeSync(CHECKPOINT_EVENT);
  else tables.state.putSync(CHECKPOINT_EVENT, event);
}

export function positionAt({ state }: Tables, name: string): Position {
  const text = state.get(name);
  return text === undefined ? LOG_START : BigInt(text);
}

/** Inside a write transaction. Never moves back. */
export function advance(tables: Tables, name: string, position: Position): void {
  if (position > positionAt(tables, name)) tables.state.putSync(name, String(position));
}

/** Inside a write transaction: drops what was built from the log. Bookmarks stay, but none beyond `end` if it is given. */
export function startOver(tables: Tables, fingerprint: string, end: Position | undefined): void {
  tables.documents.clearSync();
  tables.indexes.clearSync();
  for (const name of [CHECKPOINT, CHECKPOINT_EVENT]) tables.state.removeSync(name);
  if (end !== undefined) clampBookmarks(tables, end);
  tables.state.putSync(FINGERPRINT, fingerprint);
}

/** Lowers every bookmark to what a log with this end can have. */
function clampBookmarks(tables: Tables, end: Position): void {
  for (const name of [...tables.state.getKeys()].filter((one) => one.startsWith(bookmarkOf('')))) {
    const furthest = maxBookmark(name, end);
    if (positionAt(tables, name) > furthest) tables.state.putSync(name, String(furthest));
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
