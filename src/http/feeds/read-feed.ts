import { type Collection, type Document } from '../../platform/read-model/projection';
import { type ReadModel } from '../../platform/read-model/read-model.port';
import { PAGE_BYTES } from '../input/pagination';
import { type FeedEvent, type FeedPage } from './feed';

type Entry = Document & FeedEvent;

/** Where a feed's entries stand and how far they go; `entryId` names one by its cursor. */
export type FeedPlace<D extends Entry, Owner extends string = string> = Readonly<{
  entries: Collection<D>;
  index: string;
  feeds: Collection<Document & Readonly<{ length: number }>>;
  owner: Owner;
  entryId: (owner: Owner, cursor: number) => string;
}>;

/** A page of a feed whose entries are documents. */
export async function readFeed<D extends Entry, E extends FeedEvent, Owner extends string>(
  readModel: ReadModel,
  { entries, index, feeds, owner, entryId }: FeedPlace<D, Owner>,
  view: (entry: D) => E,
  since: number,
  limit: number,
): Promise<FeedPage<E>> {
  const after = since === 0 ? {} : { after: { sort: since, id: entryId(owner, since) } };
  const { documents, next } = await readModel.find(entries, index, [owner], {
    limit,
    order: 'asc',
    bytes: PAGE_BYTES,
    ...after,
  });
  // Read after the events: it is never less than what they show.
  const newest_cursor = (await readModel.get(feeds, owner))?.length ?? 0;
  return {
    events: documents.map(view),
    next_cursor: documents.at(-1)?.cursor ?? since,
    newest_cursor,
    has_more: next !== null,
  };
}
