import { type Document, type Index } from '../projection';
import { type IndexValue, isFull, placeInIndex } from '../index-place';
import { type FirstPage } from '../read-model.port';
import { type StoredCollection } from './connection';
import { filterFor, sizeOf, sortFor } from './searching';
import { documentIn } from './stored-documents';

type Values = readonly IndexValue[];
const nameOf = (values: Values): string => JSON.stringify(values);

/** Each distinct value once, all in one query if there are several; the results in the order of the values. */
export async function findEach<D extends Document>(
  equals: readonly Values[],
  ask: Readonly<{
    together: (values: readonly Values[]) => Promise<ReadonlyMap<string, readonly Document[]> | undefined>;
    alone: (values: Values) => Promise<readonly D[]>;
  }>,
): Promise<readonly (readonly D[])[]> {
  const each = new Map(equals.map((values) => [nameOf(values), values]));
  const together = each.size > 1 ? await ask.together([...each.values()]) : undefined;
  const found =
    together ??
    new Map(await Promise.all([...each].map(async ([name, values]) => [name, await ask.alone(values)] as const)));
  return equals.map((values) => (found.get(nameOf(values)) ?? []) as readonly D[]);
}

/**
 * Undefined if there are so many matches that some may be missing: as many as all pages hold together may all be of one
 * value. Most of the time there are far fewer.
 */
export async function findTogether(
  documents: StoredCollection,
  index: Index,
  equals: readonly Values[],
  page: FirstPage,
): Promise<ReadonlyMap<string, readonly Document[]> | undefined> {
  const { limit, order = 'asc' } = page;
  const most = limit * equals.length;
  const filter = { $or: equals.map((values) => filterFor(index, values, undefined, order)) };
  const found = await documents.find(filter, { sort: sortFor(index, order), limit: most, batchSize: most }).toArray();
  if (found.length === most) return undefined;
  const pages = new Map<string, Document[]>(equals.map((values) => [nameOf(values), []]));
  const sizes = new Map<string, number>();
  for (const document of found.map(documentIn)) {
    const name = nameOf(placeInIndex(index, document)?.equals ?? []);
    const [documentsOfPage, size] = [pages.get(name), sizes.get(name) ?? 0];
    if (documentsOfPage === undefined || isFull(page, documentsOfPage.length, size)) continue;
    documentsOfPage.push(document);
    if (page.bytes !== undefined) sizes.set(name, size + sizeOf(document));
  }
  return pages;
}
