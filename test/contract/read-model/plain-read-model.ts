import { type Collection, type Document } from '../../../src/platform/read-model/projection';
import { type Position } from '../../../src/platform/event-store/event-store.port';
import {
  type DocumentWrite,
  type Page,
  type PageCursor,
  type PageRequest,
  type Stored,
} from '../../../src/platform/read-model/read-model.port';
import { type Thing } from './sample-documents';

/** The simplest implementation of the port, with maps, filters and a sort, to compare the engines with. */
export class PlainReadModel {
  checkpoint: Position = 0n;
  private readonly documents = new Map<string, Map<string, Stored>>();

  apply(writes: readonly DocumentWrite[], checkpoint: Position): void {
    for (const { collection, document, position } of writes) {
      const kept = this.in(collection);
      if ((kept.get(document.id)?.position ?? -1n) < position) kept.set(document.id, { document, position });
    }
    if (checkpoint > this.checkpoint) this.checkpoint = checkpoint;
  }

  reset(): void {
    this.documents.clear();
    this.checkpoint = 0n;
  }

  get(collection: Collection<Thing>, id: string): Stored | undefined {
    return this.in(collection).get(id);
  }

  dump(collection: Collection<Thing>): Stored[] {
    return [...this.in(collection).values()].sort((one, other) => byBytes(one.document.id, other.document.id));
  }

  find(collection: Collection<Thing>, name: string, equals: readonly unknown[], page: PageRequest): Page<Thing> {
    const index = collection.indexes[name];
    if (index === undefined) throw new Error(`no index ${name}`);
    const sign = page.order === 'desc' ? -1 : 1;
    const cursor = (thing: Thing): PageCursor => ({
      sort: index.sort === undefined ? null : (thing[index.sort] as string),
      id: thing.id,
    });
    const fields = index.sort === undefined ? index.equals : [...index.equals, index.sort];
    const { after } = page;
    const matching = [...this.in(collection).values()]
      .map(({ document }) => document as Thing)
      .filter((thing) => fields.every((field) => (thing[field] ?? null) !== null))
      .filter((thing) => index.equals.every((field, at) => thing[field] === equals[at]))
      .filter((thing) => after === undefined || sign * compare(cursor(thing), after) > 0)
      .sort((one, other) => sign * compare(cursor(one), cursor(other)));
    const documents = matching.slice(0, page.limit);
    const last = documents.at(-1);
    return { documents, next: matching.length > page.limit && last !== undefined ? cursor(last) : null };
  }

  private in({ name }: Collection<Document>): Map<string, Stored> {
    const kept = this.documents.get(name) ?? new Map<string, Stored>();
    this.documents.set(name, kept);
    return kept;
  }
}

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

function compare(one: PageCursor, other: PageCursor): number {
  return compareSort(one.sort, other.sort) || byBytes(one.id, other.id);
}

function compareSort(one: PageCursor['sort'], other: PageCursor['sort']): number {
  if (one === null || other === null) return 0;
  if (typeof one === 'number') return typeof other === 'number' ? Math.sign(one - other) : -1;
  return typeof other === 'number' ? 1 : byBytes(one, other);
}
