import { collection, type Collection, type Document } from '../../../src/platform/read-model/projection';
import { type Position } from '../../../src/platform/event-store/event-store.port';
import {
  type DocumentWrite,
  type PageRequest,
  type ReadModelStore,
} from '../../../src/platform/read-model/read-model.port';

export type Thing = Document & Readonly<Record<string, unknown>>;

export const things = collection<Thing>('things', {
  all: { equals: [] },
  ranked: { equals: [], sort: 'rank' },
  by_status: { equals: ['status'] },
  by_status_ranked: { equals: ['status'], sort: 'rank' },
  by_status_and_rank: { equals: ['status', 'rank'] },
  by_three: { equals: ['status', 'owner', 'flag'], sort: 'rank' },
});
export const others = collection<Thing>('others', { ranked: { equals: ['a.b'], sort: '$rank' } });
export const plain = collection<Thing>('plain');
export const collections: readonly Collection<Thing>[] = [things, others, plain];

export const write = (
  document: Thing,
  position: Position | number,
  target: Collection<Thing> = things,
): DocumentWrite => ({ collection: target, document, position: BigInt(position) });

/** Stores documents at consecutive positions, starting at the given one. */
export async function store(
  model: ReadModelStore,
  documents: readonly Thing[],
  from = 1,
  target = things,
): Promise<void> {
  const writes = documents.map((document, at) => write(document, from + at, target));
  await model.apply(writes, BigInt(from + documents.length - 1));
}

export type Search = Readonly<{
  index: string;
  equals?: readonly (string | number | boolean)[];
  order?: 'asc' | 'desc';
}>;

/** All results of a search, page by page. */
export async function walk(model: ReadModelStore, search: Search, limit = 2, target = things): Promise<Thing[]> {
  const found: Thing[] = [];
  let after: PageRequest['after'];
  for (;;) {
    const page = await model.find(target, search.index, search.equals ?? [], {
      limit,
      after,
      order: search.order ?? 'asc',
    });
    found.push(...page.documents);
    if (page.next === null) return found;
    after = page.next;
  }
}

export const idsOf = (documents: readonly Document[]): string[] => documents.map(({ id }) => id);

export async function dumpOf(model: ReadModelStore, target: Collection<Thing>): Promise<string[]> {
  const lines: string[] = [];
  for await (const { document, position } of model.dump(target)) lines.push(`${position} ${JSON.stringify(document)}`);
  return lines;
}

/** As JSON text, which shows key order and own `__proto__` keys; a deep comparison ignores both. */
export const asText = (value: unknown): string => JSON.stringify(value) ?? 'undefined';
