import { createHash } from 'node:crypto';
import { type RecordedEvent } from '../event-store/event-store.port';

/** A read-model document: plain JSON, with its id inside. */
export type Document = Readonly<{ id: string }>;

/**
 * How a collection can be searched: by equality on `equals`, in the order of `sort` (then id), and in no other way.
 * A document that lacks one of these fields, or holds null there, does not appear in the index.
 */
export type Index = Readonly<{ equals: readonly string[]; sort?: string }>;

export type Collection<D extends Document> = Readonly<{
  name: string;
  indexes: Readonly<Record<string, Index>>;
  /**
   * Its documents count others, such as the length of a feed. They are written after everything else in a batch: even
   * on a store without transactions, a reader that sees the count finds everything it covers.
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
 * What one event does to one document. `next` gets the document as earlier events left it, and returns the new one.
 * `also` are further documents written whole; they depend only on this one and on the event. A step never reads
 * a second document: so replaying the event repairs a crash between two writes (docs/adr/0004).
 */
export type Step = Readonly<{
  collection: Collection<Document>;
  id: string;
  next: (current: Document | undefined) => StepResult;
  /** The event alone determines the document, so an existing one need not be loaded. */
  isNew?: boolean;
}>;

export type StepResult = Readonly<{ document: Document; also?: readonly Write[] }>;
/** `isNew`: no earlier event wrote it. */
export type Write = Readonly<{ collection: Collection<Document>; document: Document; isNew?: boolean }>;

/**
 * A step whose document is named in another one, by a fact that the other's first event fixed permanently, such as the
 * owner of a payment request. Nothing else of it may be used, because in a replay it may be ahead of the events.
 */
export type Lookup = Readonly<{
  collection: Collection<Document>;
  id: string;
  then: (found: Document) => readonly Step[];
}>;

export type Projection = Readonly<{
  name: string;
  /** Increment it when the documents' shape changes: the read model is then rebuilt at the next start. */
  version: number;
  collections: readonly Collection<Document>[];
  project: (event: RecordedEvent) => readonly Step[];
  lookups?: (event: RecordedEvent) => readonly Lookup[];
}>;

/** The projections that are built; the application provides the list. */
export const PROJECTIONS = Symbol('Projections');

/** The result for an event type that a projection follows but ignores. */
export const ignored: readonly Step[] = [];

/** A new document; the event that creates it is the first of its stream. */
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

/** Identifies the projections that build the read model. If it differs, so do the documents: they are rebuilt. */
export function fingerprintOf(projections: readonly Projection[]): string {
  const parts = projections.map(({ name, version, collections }) => [name, version, collections]);
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
