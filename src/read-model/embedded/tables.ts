import { open, type Database, type RootDatabase } from 'lmdb';
import { type Collection, type Document } from '../../../projections/projection';
import { type Position } from '../../event-store/event-store.port';
import { type IndexPlace, placeInIndex } from '../index-place';
import { type Stored } from '../read-model.port';
import { documentsOf, indexesOf, indexKey } from './keys';
import { decodeDocument, positionIn } from './stored-codec';

/** The three tables of the environment. Index entries hold the id of the document they stand for. */
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
    // Without it a dot in the directory's name would make LMDB take it for a file.
    noSubdir: false,
    // With it LMDB keeps a promise of its own that rejects unheard when a commit fails, and that would end the process.
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

/** Tables that are not there are undefined here, whatever the types say: then nothing has been built yet. */
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
  key: Buffer;
  value: string;
  /** What was loaded to work out the new document: spares reading the old one again. */
  before: Stored | undefined;
}>;

/** Inside a write transaction: stores the document with its index entries unless what is there is as new. */
export function storeIfNewer(tables: Tables, write: PreparedWrite): void {
  const { collection, document, key } = write;
  const current = tables.documents.get(key);
  if (current !== undefined) {
    const position = positionIn(current);
    if (position >= write.position) return;
    const old = write.before?.position === position ? write.before.document : decodeDocument(current);
    moveInIndexes(tables, collection, old, document);
  } else {
    for (const entry of indexEntries(collection, document)) tables.indexes.putSync(entry, document.id);
  }
  tables.documents.putSync(key, write.value);
}

function moveInIndexes(tables: Tables, { name, indexes }: Collection<Document>, old: Document, now: Document): void {
  for (const [indexName, index] of Object.entries(indexes)) {
    const from = placeInIndex(index, old);
    const to = placeInIndex(index, now);
    if (from !== undefined && to !== undefined && isSamePlace(from, to)) continue;
    if (from !== undefined) tables.indexes.removeSync(indexKey(name, indexName, from, old.id));
    if (to !== undefined) tables.indexes.putSync(indexKey(name, indexName, to, now.id), now.id);
  }
}

const isSamePlace = (one: IndexPlace, other: IndexPlace): boolean =>
  one.sort === other.sort && one.equals.every((value, at) => value === other.equals[at]);

/** Inside a write transaction: forgets a collection's index entries and makes them anew from its documents. */
export function rebuildIndexes(tables: Tables, collection: Collection<Document>): void {
  for (const key of [...tables.indexes.getKeys(indexesOf(collection.name))]) tables.indexes.removeSync(key);
  for (const { value } of tables.documents.getRange(documentsOf(collection.name))) {
    const document = decodeDocument(value);
    for (const entry of indexEntries(collection, document)) tables.indexes.putSync(entry, document.id);
  }
}

/** Reads all there is and writes a little, for a file in doubt: throws where LMDB or the JSON inside is broken. */
export async function tryEverything(tables: Tables): Promise<void> {
  for (const { value } of tables.documents.getRange({})) decodeDocument(value);
  tables.indexes.getRange({}).forEach(() => undefined);
  tables.state.getRange({}).forEach(() => undefined);
  // Only a write looks at the list of free pages.
  await tables.environment.childTransaction(() => tables.state.putSync('tried', 'found whole'));
}

function indexEntries({ name, indexes }: Collection<Document>, document: Document): Buffer[] {
  return Object.entries(indexes).flatMap(([indexName, index]) => {
    const place = placeInIndex(index, document);
    return place === undefined ? [] : [indexKey(name, indexName, place, document.id)];
  });
}
