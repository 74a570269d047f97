import { type Collection, type Document } from '../projection';
import { type DocumentRef, type DocumentWrite, type Stored } from '../read-model.port';
import { type StoredFields } from './connection';
import { fromFields, toFields } from './fields';
import { type GuardedWrite } from './guarded-writes';

export const documentIn = ({ document }: StoredFields): Document => fromFields(document ?? {}) as Document;

export const storedIn = (fields: StoredFields): Stored => ({ document: documentIn(fields), position: fields.position });

export type Run = { collection: Collection<Document>; writes: GuardedWrite[] };

/**
 * Adjacent writes to one collection go into one bulk write. Never more: the order across collections is guaranteed, and
 * the caller groups writes by collection wherever their order is free.
 */
export function runsOf(writes: readonly DocumentWrite[]): Run[] {
  const runs: Run[] = [];
  for (const { collection, document, position, isNew = false } of writes) {
    let run = runs.at(-1);
    if (run?.collection.name !== collection.name) runs.push((run = { collection, writes: [] }));
    run.writes.push({ fields: { _id: document.id, position, document: toFields(document) }, isNew });
  }
  return runs;
}

/** What may be written concurrently, part after part: see ReadModelStore. */
export const partsOf = (
  writes: readonly DocumentWrite[],
  beginnings: readonly number[] | undefined,
): readonly (readonly Run[])[] =>
  beginnings === undefined
    ? runsOf(writes).map((run) => [run])
    : [0, ...beginnings]
        .map((begin, at) => runsOf(writes.slice(begin, beginnings[at])))
        .filter((part) => part.length > 0);

/** One query per collection, concurrently; the results in the order of the refs. */
export async function loadEach(
  refs: readonly DocumentRef[],
  find: (collection: Collection<Document>, ids: string[]) => Promise<readonly StoredFields[]>,
): Promise<readonly (Stored | undefined)[]> {
  const wanted = new Map<Collection<Document>, string[]>();
  for (const { collection, id } of refs) {
    const ids = wanted.get(collection);
    if (ids === undefined) wanted.set(collection, [id]);
    else ids.push(id);
  }
  const stored = new Map<string, Stored>();
  await Promise.all(
    [...wanted].map(async ([collection, ids]) => {
      for (const fields of await find(collection, ids))
        stored.set(`${collection.name}/${fields._id}`, storedIn(fields));
    }),
  );
  return refs.map(({ collection, id }) => stored.get(`${collection.name}/${id}`));
}

/** Even if one fails, nothing is in flight any more when this settles: what comes next must not overlap with it. */
export async function allOf(works: readonly Promise<void>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(works)) if (outcome.status === 'rejected') throw outcome.reason;
}

const PAGE_SIZE = 500;

type FindPage = (
  filter: Readonly<{ _id?: Readonly<{ $gt: string }> }>,
  options: Readonly<{ sort: Readonly<{ _id: 1 }>; limit: number; batchSize: number }>,
) => Promise<readonly StoredFields[]>;

/** All of a collection in id order, page by page: no cursor is kept open in between. */
export async function* everyDocument(find: FindPage): AsyncIterable<Stored> {
  for (let after: string | undefined; ;) {
    const page = await find(after === undefined ? {} : { _id: { $gt: after } }, {
      sort: { _id: 1 },
      limit: PAGE_SIZE,
      batchSize: PAGE_SIZE,
    });
    yield* page.map(storedIn);
    after = page.at(-1)?._id;
    if (after === undefined) return;
  }
}
