import { type Page, type PageCursor } from '../../platform/read-model/read-model.port';
import { type Document } from '../../platform/read-model/projection';

type Dated = Document & Readonly<{ created_at: string }>;

/** One page out of those of several searches, newest first; what several of them found is in it once. */
export function mergedPage<D extends Dated>(pages: readonly Page<D>[], limit: number): Page<D> {
  const found = new Map(pages.flatMap(({ documents }) => documents).map((document) => [document.id, document]));
  // A search whose page ended at its size limit has more: whatever is older than that page has to wait for it.
  const ends = pages.flatMap(({ next }) => (next === null ? [] : [next]));
  const sorted = [...found.values()].filter((one) => ends.every((end) => !isAfter(one, end))).sort(newestFirst);
  const documents = sorted.slice(0, limit);
  const last = documents.at(-1);
  const hasMore = sorted.length > documents.length || ends.length > 0;
  return { documents, next: hasMore && last !== undefined ? { sort: last.created_at, id: last.id } : null };
}

export const isAfter = ({ created_at, id }: Dated, after: PageCursor | undefined): boolean =>
  after === undefined || created_at < String(after.sort) || (created_at === after.sort && id < after.id);

const newestFirst = (one: Dated, other: Dated): number =>
  one.created_at === other.created_at ? compare(other.id, one.id) : compare(other.created_at, one.created_at);

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
