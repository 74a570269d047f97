import { type Collection, type Document } from '../../platform/read-model/projection';
import { refuse } from '../../kernel/errors';
import { type ReadModel } from '../../platform/read-model/read-model.port';
import { type JsonSchema } from './checks';
import { cursorOf, listMark, nextCursorSchema, type PageInput, pageOf } from './pagination';

/** A document that the caller is already known to be allowed to see. */
export async function knownDocument<D extends Document>(
  readModel: ReadModel,
  collection: Collection<D>,
  id: string,
): Promise<D> {
  const document = await readModel.get(collection, id);
  if (document === undefined) throw refuse('resource_not_found');
  return document;
}

/** What makes a document the caller's own: fields that must have these values. */
export type Ownership<D> = Readonly<Partial<D>>;

/** A document, if the caller owns it; any other looks as if it did not exist. */
export async function ownDocument<D extends Document>(
  readModel: ReadModel,
  collection: Collection<D>,
  id: string,
  ownership: Ownership<D>,
): Promise<D> {
  const document = await knownDocument(readModel, collection, id);
  if (!isOwned(document, ownership)) throw refuse('resource_not_found');
  return document;
}

export function isOwned<D extends Document>(document: D, ownership: Ownership<D>): boolean {
  const names = Object.keys(ownership) as (keyof D)[];
  if (names.length === 0) throw new Error('everybody would own it');
  return names.every((name) => document[name] === ownership[name]);
}

/** An index and the values to look for in it. */
export type IndexSearch = readonly [index: string, ...equals: (string | boolean)[]];

/** Narrows a search to a value of a field, in the index named for it; unchanged if there is no value. */
export const narrowed = ([index, ...equals]: IndexSearch, field: string, value: string | undefined): IndexSearch =>
  value ? [`${index}_and_${field}`, ...equals, value] : [index, ...equals];

type PageOptions = Readonly<{ order?: 'asc' | 'desc'; filters?: Readonly<Record<string, unknown>> }>;

export type OwnPage<D> = Readonly<{ documents: readonly D[]; next_cursor: string | null }>;

/** A page of search results, newest first by default. `filters` are those that the caller applies to it afterwards. */
export async function ownPage<D extends Document>(
  readModel: ReadModel,
  collection: Collection<D>,
  [index, ...equals]: IndexSearch,
  input: PageInput,
  { order = 'desc', filters = {} }: PageOptions = {},
): Promise<OwnPage<D>> {
  // By the names of the fields, not of the index: that may be replaced by another while somebody turns pages.
  const fields = collection.indexes[index]?.equals ?? [];
  const by = Object.fromEntries(fields.map((field, at) => [field, equals[at]]));
  const list = listMark(collection.name, { ...filters, ...by });
  const { documents, next } = await readModel.find(collection, index, equals, { ...pageOf(input, list), order });
  return { documents, next_cursor: cursorOf(next, list) };
}

/** The schema of a page: the items under their name, and the cursor of the next page. */
export const pageSchema = (name: string, thing: JsonSchema): Readonly<Record<string, JsonSchema>> => ({
  [name]: { type: 'array', items: thing },
  next_cursor: nextCursorSchema,
});

/** The same inside the `data` of the agent-payment surface. */
export const pageDataSchema = (name: string, thing: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: pageSchema(name, thing),
  required: [name, 'next_cursor'],
  title: `${String(thing['title'])}Page`,
});
