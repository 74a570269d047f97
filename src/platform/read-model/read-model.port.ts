import { type Collection, type Document } from './projection';
import { type Position } from '../event-store/event-store.port';
import { type Bookmarks } from '../reacting/reactor';

/** A document with the position of the last event that shaped it. */
export type Stored = Readonly<{ document: Document; position: Position }>;

export type DocumentRef = Readonly<{ collection: Collection<Document>; id: string }>;
export type DocumentWrite = Readonly<{ collection: Collection<Document>; document: Document; position: Position }>;

export type SortValue = string | number;
/** The last document of a page; the next page begins after it. */
export type PageCursor = Readonly<{ sort: SortValue | null; id: string }>;
export type PageRequest = Readonly<{
  limit: number;
  after?: PageCursor | undefined;
  order?: 'asc' | 'desc';
  /** As stored: a page that has come to it ends early, with the document that went beyond it. */
  bytes?: number;
}>;
export type Page<D> = Readonly<{ documents: readonly D[]; next: PageCursor | null }>;

/** What the GET endpoints read. */
export interface ReadModel {
  get<D extends Document>(collection: Collection<D>, id: string): Promise<D | undefined>;
  /** Documents whose `index.equals` fields have the given values, in index order; cursors stay valid while documents come and go. */
  find<D extends Document>(
    collection: Collection<D>,
    index: string,
    equals: readonly (string | number | boolean)[],
    page: PageRequest,
  ): Promise<Page<D>>;
  /** The first page of `find` for each of several values: one question where asking costs more than finding. */
  findEach<D extends Document>(
    collection: Collection<D>,
    index: string,
    equals: readonly (readonly (string | number | boolean)[])[],
    page: Pick<PageRequest, 'limit' | 'order'>,
  ): Promise<readonly (readonly D[])[]>;
  /** How many there are, counted no further than `upTo`. */
  count<D extends Document>(
    collection: Collection<D>,
    index: string,
    equals: readonly (string | number | boolean)[],
    upTo: number,
  ): Promise<number>;
}

/** Who does the background work; `beat` grows with every sign of life and with every change of hands. */
export type Lease = Readonly<{ holder: string | null; beat: number }>;

/** One word that all instances on the store see alike. No clock is compared through it. */
export interface SharedLease {
  /** Nobody's, at beat 0, until someone takes it. */
  read(): Promise<Lease>;
  /** Puts `next` in the place of exactly `seen`; false, and no change, where something else was there. Durable when it answers. */
  replace(seen: Lease, next: Lease): Promise<boolean>;
}

/** Undefined: it is not there, or is to be there no more. */
export type LeaseChange = Readonly<{ name: string; seen: Lease | undefined; next: Lease | undefined }>;

/** Several, by their names. */
export type Leases = ReadonlyMap<string, Lease>;

/** Several leases with names, in one place: one write renews all that an instance has. */
export interface SharedLeases {
  read(): Promise<Leases>;
  /**
   * All of them, each in the place of exactly what was seen, or none. Durable when it answers: with all leases as they are after it, or
   * with nothing where something else was there.
   */
  replace(changes: readonly LeaseChange[]): Promise<Leases | undefined>;
}

/**
 * What the projector writes. Every adapter keeps these promises, and the contract suite checks them:
 * - after apply, documents and checkpoint are both there; after a crash inside apply, playing the same events again repairs it;
 * - a write whose position is not newer than the stored document's is ignored, and so is a checkpoint that is not newer;
 * - `writes` are stored in the order given; with `parts`, which says where the next part of them begins, one part before the
 *   next, and within a part the order between collections is free;
 * - bookmarks of reactors live beside the documents, never go back, and stay when the documents are forgotten;
 * - the lease, where there is one, stays as well.
 */
export interface ReadModelStore extends ReadModel, Bookmarks {
  /** Makes collections and indexes ready. Safe to repeat. */
  prepare(collections: readonly Collection<Document>[]): Promise<void>;
  checkpoint(): Promise<Position>;
  /** In the order of the refs; undefined where there is none. */
  load(refs: readonly DocumentRef[]): Promise<readonly (Stored | undefined)[]>;
  apply(writes: readonly DocumentWrite[], checkpoint: Position, parts?: readonly number[]): Promise<void>;
  /** Which projections built what is here; undefined when empty. */
  fingerprint(): Promise<string | undefined>;
  /** Forgets every document and the checkpoint, and notes who will build it anew. */
  reset(fingerprint: string): Promise<void>;
  /** Every document of a collection in id order, for comparing and auditing. */
  dump(collection: Collection<Document>): AsyncIterable<Stored>;
  /** Whether it is another process, so that what was written there is worth remembering here. */
  readonly isRemote: boolean;
  /** Undefined where only one process can have the store open: it needs none. */
  readonly lease: (SharedLease & Readonly<{ shares: SharedLeases }>) | undefined;
  ping(): Promise<void>;
  /** Why it must be opened anew, which builds it from the log: it is not what was stored. */
  damage(): Error | undefined;
  close(): Promise<void>;
}

export const READ_MODEL = Symbol('ReadModel');
export const READ_MODEL_STORE = Symbol('ReadModelStore');
