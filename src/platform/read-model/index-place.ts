import { type Collection, type Document, type Index } from './projection';
import { type Position } from '../event-store/event-store.port';
import { type DocumentWrite, type PageCursor, type PageRequest, type SortValue } from './read-model.port';

/**
 * The rules for ids, indexes and positions that all adapters share, so that a document that one engine accepts is never
 * refused by another. The lengths follow from the narrowest engine: an LMDB key has to hold sort value and id together.
 */
export const MAX_ID_LENGTH = 160;
export const MAX_SORT_BYTES = 512;
const MAX_POSITION = 2n ** 63n - 1n;
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

export type IndexValue = string | number | boolean;
/** The place of a document in one index. */
export type IndexPlace = Readonly<{ equals: readonly IndexValue[]; sort: SortValue | null }>;

/** Undefined when the document lacks one of the index's fields or holds null there. */
export function placeInIndex(index: Index, document: Document): IndexPlace | undefined {
  const equals: IndexValue[] = [];
  for (const field of index.equals) {
    const value = fieldOf(document, field);
    if (value === undefined || value === null) return undefined;
    if (!isIndexValue(value))
      throw new TypeError(`index field ${field} of ${document.id} is neither text, number nor boolean`);
    equals.push(value);
  }
  if (index.sort === undefined) return { equals, sort: null };
  const sort = fieldOf(document, index.sort);
  if (sort === undefined || sort === null) return undefined;
  if (!isSortValue(sort)) throw new TypeError(`sort field ${index.sort} of ${document.id} is neither text nor number`);
  if (typeof sort === 'string' && Buffer.byteLength(sort) > MAX_SORT_BYTES)
    throw new RangeError(`sort field ${index.sort} of ${document.id} is longer than ${MAX_SORT_BYTES} bytes`);
  return { equals, sort };
}

function fieldOf(document: Document, field: string): unknown {
  return Object.hasOwn(document, field) ? (document as Readonly<Record<string, unknown>>)[field] : undefined;
}

const isSortValue = (value: unknown): value is SortValue =>
  typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));

const isIndexValue = (value: unknown): value is IndexValue => typeof value === 'boolean' || isSortValue(value);

/** The index a search names. A wrong name, count or limit is a mistake in our own code, not bad input. */
export function searchedIndex(
  collection: Collection<Document>,
  name: string,
  equals: readonly unknown[],
  page: PageRequest,
): Index {
  const index = Object.hasOwn(collection.indexes, name) ? collection.indexes[name] : undefined;
  if (index === undefined) throw new TypeError(`${collection.name} has no index ${name}`);
  if (equals.length !== index.equals.length || !equals.every(isIndexValue))
    throw new TypeError(`index ${collection.name}.${name} is searched by ${index.equals.length} plain values`);
  if (!Number.isSafeInteger(page.limit) || page.limit < 1) throw new RangeError('a page holds at least one document');
  return index;
}

/** Cursors come from callers: one that does not fit the index gives the first page instead of an error. */
export function fittingCursor(index: Index, after: PageCursor | undefined): PageCursor | undefined {
  if (after === undefined || typeof after.id !== 'string') return undefined;
  if (index.sort === undefined) return { sort: null, id: after.id };
  return isSortValue(after.sort) ? after : undefined;
}

export const cursorOf = (index: Index, document: Document): PageCursor => ({
  sort: placeInIndex(index, document)?.sort ?? null,
  id: document.id,
});

/** A document's places in its collection's indexes, in their order. */
export type Places = readonly (IndexPlace | undefined)[];

/** Runs before anything is stored, so that a mistake leaves nothing half done. Returns each document's new places. */
export function checkWrites(writes: readonly DocumentWrite[], checkpoint: Position): readonly Places[] {
  checkPosition(checkpoint);
  return writes.map(({ collection, document, position }) => {
    checkPosition(position);
    if (typeof document.id !== 'string' || document.id === '' || document.id.length > MAX_ID_LENGTH)
      throw new TypeError(`a document of ${collection.name} needs an id of 1 to ${MAX_ID_LENGTH} characters`);
    return placesOf(collection, document);
  });
}

export const placesOf = ({ indexes }: Collection<Document>, document: Document): Places =>
  Object.values(indexes).map((index) => placeInIndex(index, document));

/** Reserved for the adapters themselves. */
const RESERVED = /^read_model_/i;

export function checkCollections(collections: readonly Collection<Document>[]): void {
  for (const { name, indexes } of collections) {
    for (const given of [name, ...Object.keys(indexes)])
      if (!NAME.test(given) || RESERVED.test(given))
        throw new TypeError(`"${given}" cannot name a collection or an index`);
    for (const [indexName, { equals, sort }] of Object.entries(indexes)) {
      const fields = sort === undefined ? equals : [...equals, sort];
      if (new Set(fields).size < fields.length) throw new TypeError(`index ${name}.${indexName} names a field twice`);
    }
  }
}

export function checkPosition(position: Position): void {
  if (position < 0n || position > MAX_POSITION) throw new RangeError(`${position} is no position of a log`);
}

/** Whether a page is full; `size` is that of its documents as JSON. */
export const isFull = ({ limit, bytes = Infinity }: PageRequest, documents: number, size: number): boolean =>
  documents >= limit || size >= bytes;
