import { type Collection as MongoCollection, type Db, type MongoClient, MongoServerError } from 'mongodb';
import { type Collection, type Document } from '../projection';
import { withTimeout } from './with-timeout';
import { type ClientOptions } from './connection';
import { mongoIndexFor } from './searching';

/** Marks the indexes that are ours to drop; one that an operator added under another name stays. */
const PREFIX = 'read_model_';
const NAMESPACE_NOT_FOUND = 26;
const INDEX_NOT_FOUND = 27;
const INDEX_OPTIONS_CONFLICT = 85;
/** Options that an index may have and still serve as ours does. */
const HARMLESS_OPTIONS = new Set(['v', 'key', 'name', 'ns', 'background', 'clustered']);

const INDEX_BUILD_TIMEOUT_MS = 10 * 60_000;

/** Uses its own connection with a timeout long enough to build an index over existing documents. */
export async function withLongTimeout(
  makeClient: (options: ClientOptions) => MongoClient,
  name: string,
  work: (database: Db) => Promise<void>,
): Promise<void> {
  const client = makeClient({ socketTimeoutMS: INDEX_BUILD_TIMEOUT_MS });
  try {
    await withTimeout(INDEX_BUILD_TIMEOUT_MS, () => work(client.db(name)));
  } finally {
    await client.close();
  }
}

/** Creates the declared indexes and drops those of ours that are no longer declared, or declared differently. */
export async function prepareIndexes(database: Db, declared: Collection<Document>): Promise<void> {
  const collection = database.collection(declared.name);
  const missing = wantedIndexes(declared);
  for (const { name, fields, isPlain } of await indexesOf(collection)) {
    const wanted = missing.get(fields);
    // One that an operator created serves as well, and a second over the same fields would be refused.
    if (wanted?.name === name || (wanted !== undefined && isPlain && !name.startsWith(PREFIX))) missing.delete(fields);
    else if (name.startsWith(PREFIX)) await ignoring(INDEX_NOT_FOUND, collection.dropIndex(name));
  }
  // If an operator's index is in the way and serves only in part, reads are slow; failing the start would allow none.
  for (const { name, key } of missing.values())
    await ignoring(INDEX_OPTIONS_CONFLICT, collection.createIndexes([{ name, key }]));
}

type NamedIndex = { name: string; key: Record<string, 1> };

/** By fields, because MongoDB refuses a second index over the same ones, and one serves both. */
function wantedIndexes({ name, indexes }: Collection<Document>): Map<string, NamedIndex> {
  const wanted = new Map<string, NamedIndex>();
  for (const [indexName, index] of Object.entries(indexes)) {
    const key = mongoIndexFor(index);
    if (key !== undefined && !wanted.has(fieldsOf(key)))
      wanted.set(fieldsOf(key), { name: `${PREFIX}${name}_${indexName}`, key });
  }
  return wanted;
}

const fieldsOf = (key: object): string =>
  JSON.stringify(Object.entries(key).map(([field, order]) => [field, Number(order)]));

type FoundIndex = Readonly<{ name: string; fields: string; isPlain: boolean }>;

async function indexesOf(collection: MongoCollection): Promise<readonly FoundIndex[]> {
  try {
    return (await collection.indexes()).map((index) => ({
      name: index.name ?? '',
      fields: fieldsOf(index.key),
      isPlain: Object.keys(index).every((option) => HARMLESS_OPTIONS.has(option)),
    }));
  } catch (error) {
    if (error instanceof MongoServerError && error.code === NAMESPACE_NOT_FOUND) return [];
    throw error;
  }
}

export async function dropCollections(database: Db, names: readonly string[]): Promise<void> {
  for (const { name } of await database.listCollections({}, { nameOnly: true }).toArray())
    if (names.includes(name)) await ignoring(NAMESPACE_NOT_FOUND, database.dropCollection(name));
}

async function ignoring(code: number, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== code) throw error;
  }
}
