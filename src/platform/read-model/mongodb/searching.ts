import { type Filter, type FindCursor, type Sort } from 'mongodb';
import { type Document, type Index } from '../projection';
import { fittingCursor, type IndexValue, isFull } from '../index-place';
import { type PageCursor, type PageRequest } from '../read-model.port';
import { type StoredCollection, type StoredFields } from './connection';
import { escapeKey } from './fields';
import { documentIn } from './stored-documents';

type Condition = Readonly<Record<string, unknown>>;

const pathOf = (field: string): string => `document.${escapeKey(field)}`;

/** The MongoDB index that serves a declared one; undefined where the `_id` index does. */
export function mongoIndexFor({ equals, sort }: Index): Record<string, 1> | undefined {
  const paths = [...equals, ...(sort === undefined ? [] : [sort])].map(pathOf);
  return paths.length === 0 ? undefined : Object.fromEntries([...paths, '_id'].map((path) => [path, 1 as const]));
}

export function sortFor({ sort }: Index, order: 'asc' | 'desc'): Sort {
  const direction = order === 'asc' ? 1 : -1;
  return sort === undefined ? { _id: direction } : { [pathOf(sort)]: direction, _id: direction };
}

/** Every branch names the equality fields and one range, so that each is one index scan and they merge in order. */
export function filterFor(
  index: Index,
  equals: readonly IndexValue[],
  cursor: PageCursor | undefined,
  order: 'asc' | 'desc',
): Filter<StoredFields> {
  const same: Condition = Object.fromEntries(index.equals.map((field, at) => [pathOf(field), { $eq: equals[at] }]));
  const beyond = order === 'asc' ? '$gt' : '$lt';
  if (index.sort === undefined) return { ...same, ...(cursor && { _id: { [beyond]: cursor.id } }) };

  const path = pathOf(index.sort);
  // Naming the types leaves out documents in which the field is missing or null.
  if (cursor === undefined) return { ...same, [path]: { $type: ['number', 'string'] } };
  const branches: Condition[] = [
    { ...same, [path]: { $eq: cursor.sort }, _id: { [beyond]: cursor.id } },
    { ...same, [path]: { [beyond]: cursor.sort } },
  ];
  // A comparison stays within one type, and numbers sort before text.
  if (order === 'asc' && typeof cursor.sort === 'number') branches.push({ ...same, [path]: { $type: 'string' } });
  if (order === 'desc' && typeof cursor.sort === 'string') branches.push({ ...same, [path]: { $type: 'number' } });
  return { $or: branches };
}

/** As JSON, in which pages are measured. */
export const sizeOf = (document: Document): number => Buffer.byteLength(JSON.stringify(document));

type Found = FindCursor<StoredFields>;

/** For a page that is bounded in bytes: how many documents are fetched before they are measured. */
export const BATCH_SIZE = 51;

export function findPage(
  documents: StoredCollection,
  index: Index,
  equals: readonly IndexValue[],
  page: PageRequest,
): ReturnType<typeof takenFrom> {
  const order = page.order ?? 'asc';
  const filter = filterFor(index, equals, fittingCursor(index, page.after), order);
  // One document more than requested tells whether there is a next page.
  const limit = page.limit + 1;
  const batchSize = page.bytes === undefined ? limit : Math.min(limit, BATCH_SIZE);
  return takenFrom(documents.find(filter, { sort: sortFor(index, order), limit, batchSize }), page);
}

/** What fits into the page, and whether there is more. */
async function takenFrom(
  cursor: Found,
  page: PageRequest,
): Promise<Readonly<{ documents: readonly Document[]; isCut: boolean }>> {
  const documents: Document[] = [];
  let bytes = 0;
  // Leaving the loop early closes the cursor.
  for await (const fields of cursor) {
    if (documents.length > 0 && isFull(page, documents.length, bytes)) return { documents, isCut: true };
    const document = documentIn(fields);
    if (page.bytes !== undefined) bytes += sizeOf(document);
    documents.push(document);
  }
  return { documents, isCut: false };
}
