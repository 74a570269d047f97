import { type Collection as MongoCollection, type Db, MongoServerError } from 'mongodb';
import { type Collection, type Document } from '../../../../projections/projection';
import { mongoIndexFor } from './searching';

/** Marks the indexes that are ours to drop; one that an operator added under another name stays. */
const PREFIX = 'read_model_';
const NAMESPACE_NOT_FOUND = 26;
const INDEX_NOT_FOUND = 27;

/** Makes the declared indexes and drops those of ours that are declared no longer, or otherwise. */
export async function prepareIndexes(database: Db, declared: Collection<Document>): Promise<void> {
  const collection = database.collection(declared.name);
  const missing = wantedIndexes(declared);
  for (const { name, key } of await indexesOf(collection)) {
    const wanted = missing.get(fieldsOf(key));
    if (wanted?.name === name) missing.delete(fieldsOf(key));
    else if (name.startsWith(PREFIX)) await ignoring(INDEX_NOT_FOUND, collection.dropIndex(name));
  }
  if (missing.size > 0) await collection.createIndexes([...missing.values()]);
}

type NamedIndex = { name: string; key: Record<string, 1> };

/** By their fields, because MongoDB refuses a second index over the same ones, and one serves both. */
function wantedIndexes({ name, indexes }: Collection<Document>): Map<string, NamedIndex> {
  const wanted = new Map<string, NamedIndex>();
  for (const [indexName, index] of Object.entries(indexes)) {
    const key = mongoIndexFor(index);
    if (key !== undefined && !wanted.has(fieldsOf(key)))
      wanted.set(fieldsOf(key), { name: `${PREFIX}${name}_${indexName}`, key });
  }
  return wanted;
}

const fieldsOf = (key: object): string => JSON.stringify(Object.keys(key));

async function indexesOf(collection: MongoCollection): Promise<{ name: string; key: object }[]> {
  try {
    return (await collection.indexes()).map(({ name, key }) => ({ name: name ?? '', key }));
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
