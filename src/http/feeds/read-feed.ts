import { type Collection, type Document } from '../../platform/read-model/projection';
import { type ReadModel } from '../../platform/read-model/read-model.port';
import { PAGE_BYTES } from '../input/page-bytes';
import { type FeedEvent, type FeedPage } from './feed';

type Entry = Document & FeedEvent;

/** Where a feed's entries are stored and how many there are; `entryId` names an entry by its cursor. */
export type FeedPlace<D extends Entry, Owner extends string = string> = Readonly<{
  entries: Collection<D>;
  index: string;
  feeds: Collection<Document & Readonly<{ length: number }>>;
  owner: Owner;
  entryId: (owner: Owner, cursor: number) => string;
}>;

/** The entries after a cursor, oldest first, and the newest cursor; none that reads do not fully show yet. */
export async function readEntries<D extends Entry, Owner extends string>(
  readModel: ReadModel,
  { entries, index, feeds, owner, entryId }: FeedPlace<D, Owner>,
  since: number,
  page: Readonly<{ limit: number; bytes?: number }>,
): Promise<Readonly<{ shown: readonly D[]; newest: number }>> {
  // Read first, and nothing beyond it is shown: it is written last, so a reader told of an event finds its effects.
  const newest = (await readModel.get(feeds, owner))?.length ?? 0;
  if (since >= newest) return { shown: [], newest };
  const after = since === 0 ? {} : { after: { sort: since, id: entryId(owner, since) } };
  const { documents } = await readModel.find(entries, index, [owner], { ...page, order: 'asc', ...after });
  return { shown: documents.filter(({ cursor }) => cursor <= newest), newest };
}

/** A page of a feed whose entries are documents. */
export async function readFeed<D extends Entry, E extends FeedEvent, Owner extends string>(
  readModel: ReadModel,
  place: FeedPlace<D, Owner>,
  view: (entry: D) => E,
  since: number,
  limit: number,
): Promise<FeedPage<E>> {
  const { shown, newest: newest_cursor } = await readEntries(readModel, place, since, { limit, bytes: PAGE_BYTES });
  const next_cursor = shown.at(-1)?.cursor ?? since;
  return { events: shown.map(view), next_cursor, newest_cursor, has_more: next_cursor < newest_cursor };
}
