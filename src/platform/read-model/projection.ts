import { createHash } from 'node:crypto';
import { type RecordedEvent } from '../event-store/event-store.port';

/** A read-model document: plain JSON, with its id inside. */
export type Document = Readonly<{ id: string }>;

/**
 * How a collection can be searched: by equality on `equals`, in the order of `sort` (then id). Nothing else is searchable.
 * A document that lacks one of these fields, or holds null there, does not appear in the index.
 */
export type Index = Readonly<{ equals: readonly string[]; sort?: string }>;

export type Collection<D extends Document> = Readonly<{
  name: string;
  indexes: Readonly<Record<string, Index>>;
  /**
   * Its documents say how far others go, such as the length of a feed. They are written after all else of a batch: on a store
   * without transactions, too, whoever reads one finds everything that it counts.
   */
  writtenLast?: true;
  /** Never read; ties the document's type to its collection. */
  _document?: D;
}>;

export const collection = <D extends Document>(
  name: string,
  indexes: Readonly<Record<string, Index>> = {},
  options: Pick<Collection<D>, 'writtenLast'> = {},
): Collection<D> => ({ name, indexes, ...options });

/**
 * What one event does to one document. `next` sees the document as the events before left it, and gives the new one.
 * `also` are further documents written whole; they depend on this one and on the event only. A step never reads
 * a second document: so a crash between two writes is mended by playing the event again (docs/adr/0004).
 */
export type Step = Readonly<{
  collection: Collection<Document>;
  id: string;
  next: (current: Document | undefined) => StepResult;
  /** The event alone makes the document, whatever is there: then what is there need not be loaded. */
  isNew?: boolean;
}>;

export type StepResult = Readonly<{ document: Document; also?: readonly Write[] }>;
export type Write = Readonly<{ collection: Collection<Document>; document: Document }>;

/**
 * A step whose document is named in another one: by a fact that the other's first event fixed for good, such as whose a
 * payment request is. Nothing else of it may be used, for when events are played again it may be ahead of them.
 */
export type Lookup = Readonly<{
  collection: Collection<Document>;
  id: string;
  then: (found: Document) => readonly Step[];
}>;

export type Projection = Readonly<{
  name: string;
  /** Raise it when the documents' shape changes: the read model is then rebuilt at the next start. */
  version: number;
  collections: readonly Collection<Document>[];
  project: (event: RecordedEvent) => readonly Step[];
  lookups?: (event: RecordedEvent) => readonly Lookup[];
}>;

/** The projections that are built here: the list is the application's. */
export const PROJECTIONS = Symbol('Projections');

/** What an event comes to that a projection follows, names, and makes nothing of. */
export const ignored: readonly Step[] = [];

/** A new document; an event that creates is the first of its stream. */
export const create = <D extends Document>(target: Collection<D>, document: D): Step => ({
  collection: target,
  id: document.id,
  next: () => ({ document }),
  isNew: true,
});

/** Changes a document that an earlier event created. */
export const change = <D extends Document>(target: Collection<D>, id: string, next: (current: D) => D): Step => ({
  collection: target,
  id,
  next: (current) => {
    if (current === undefined) throw new Error(`projection of ${target.name}: ${id} was never created`);
    return { document: next(current as D) };
  },
});

/** Who builds the read model. A different answer means different documents, so they are built anew. */
export function fingerprintOf(projections: readonly Projection[]): string {
  const parts = projections.map(({ name, version, collections }) => [name, version, collections]);
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
