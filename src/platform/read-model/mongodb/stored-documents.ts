import { type Collection, type Document } from '../projection';
import { type DocumentWrite, type Stored } from '../read-model.port';
import { type StoredFields } from './connection';
import { fromFields, toFields } from './fields';

export const documentIn = ({ document }: StoredFields): Document => fromFields(document ?? {}) as Document;

export const storedIn = (fields: StoredFields): Stored => ({ document: documentIn(fields), position: fields.position });

export type Run = { collection: Collection<Document>; writes: StoredFields[] };

/**
 * Neighbours of one collection go in one bulk write. Never more: the order across collections is a promise, and the
 * caller puts writes of one collection together wherever their order is free.
 */
export function runsOf(writes: readonly DocumentWrite[]): Run[] {
  const runs: Run[] = [];
  for (const { collection, document, position } of writes) {
    let run = runs.at(-1);
    if (run?.collection.name !== collection.name) runs.push((run = { collection, writes: [] }));
    run.writes.push({ _id: document.id, position, document: toFields(document) });
  }
  return runs;
}

const PAGE = 500;

type FindPage = (
  filter: Readonly<{ _id?: Readonly<{ $gt: string }> }>,
  options: Readonly<{ sort: Readonly<{ _id: 1 }>; limit: number; batchSize: number }>,
) => Promise<readonly StoredFields[]>;

/** All of a collection in the order of ids, page by page: no cursor is kept open in between. */
export async function* everyDocument(find: FindPage): AsyncIterable<Stored> {
  for (let after: string | undefined; ;) {
    const page = await find(after === undefined ? {} : { _id: { $gt: after } }, {
      sort: { _id: 1 },
      limit: PAGE,
      batchSize: PAGE,
    });
    yield* page.map(storedIn);
    after = page.at(-1)?._id;
    if (after === undefined) return;
  }
}
