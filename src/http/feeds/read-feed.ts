import { type Collection, type Document } from '../../platform/read-model/projection';
import { type ReadModel } from '../../platform/read-model/read-model.port';
import { PAGE_BYTES } from '../input/page-bytes';
import { type FeedEvent, type FeedPage } from './feed';

type Entry = Document & FeedEvent;

/**
 * Where a feed's entries are stored and how many there are. They are numbered from 1 without gaps, and `entryId` names
 * each by its number: no index is needed to find them.
 */
export type FeedPlace<D extends Entry, Owner extends string = string> = Readonly<{
  entries: Collection<D>;
  feeds: Collection<Document & Readonly<{ length: number }>>;
  owner: Owner;
  entryId: (owner: Owner, cursor: number) => string;
}>;

/**
 * The entries after a cursor, oldest first, with the cursor to go on from and the newest one; none that reads do not
 * fully show yet.
 */
export async function readEntries<D extends Entry, Owner extends string>(
  readModel: ReadModel,
  { entries, feeds, owner, entryId }: FeedPlace<D, Owner>,
  since: number,
  { limit, bytes }: Readonly<{ limit: number; bytes?: number }>,
): Promise<Readonly<{ shown: readonly D[]; next: number; newest: number }>> {
  // Read first, and nothing beyond it is shown: it is written last, so a reader told of an event finds its effects.
  const newest = (await readModel.get(feeds, owner))?.length ?? 0;
  const count = Math.max(0, Math.min(newest - since, limit));
  if (count === 0) return { shown: [], next: since, newest };
  const ids = Array.from({ length: count }, (_, at) => entryId(owner, since + at + 1));
  const shown = await readModel.getAll(entries, ids, bytes);
  // A page that a store has set aside as a whole is passed over.
  return { shown, next: shown.at(-1)?.cursor ?? since + count, newest };
}

/** A page of a feed whose entries are documents. */
export async function readFeed<D extends Entry, E extends FeedEvent, Owner extends string>(
  readModel: ReadModel,
  place: FeedPlace<D, Owner>,
  view: (entry: D) => E,
  since: number,
  limit: number,
): Promise<FeedPage<E>> {
  const { shown, next, newest } = await readEntries(readModel, place, since, { limit, bytes: PAGE_BYTES });
  return { events: shown.map(view), next_cursor: next, newest_cursor: newest, has_more: next < newest };
}
