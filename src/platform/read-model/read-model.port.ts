import { type Collection, type Document } from './projection';
import { type Position } from '../event-store/event-store.port';
import { type Bookmarks } from '../reacting/reactor';

/** A document with the position of the last event that shaped it. */
export type Stored = Readonly<{ document: Document; position: Position }>;

export type DocumentRef = Readonly<{ collection: Collection<Document>; id: string }>;
export type DocumentWrite = Readonly<{
  collection: Collection<Document>;
  document: Document;
  position: Position;
  /** Expected not to exist yet, which some stores can write faster. In a replay it may exist all the same. */
  isNew?: boolean;
}>;

export type SortValue = string | number;
/** The last document of a page; the next page begins after it. */
export type PageCursor = Readonly<{ sort: SortValue | null; id: string }>;
export type PageRequest = Readonly<{
  limit: number;
  after?: PageCursor | undefined;
  order?: 'asc' | 'desc';
  /** As JSON: a page that reaches this size ends early, with the document that reached it, the same on every store. */
  bytes?: number;
}>;
export type FirstPage = Omit<PageRequest, 'after'>;
export type Page<D> = Readonly<{ documents: readonly D[]; next: PageCursor | null }>;

/** How far the read model has come, and the id of the event there, unless an earlier version wrote it. */
export type Checkpoint = Readonly<{ position: Position; event: string | undefined }>;
/** Its checkpoint, and which projections built the contents: undefined when empty. */
export type ReadModelState = Checkpoint & Readonly<{ fingerprint: string | undefined }>;

/** What the GET endpoints read. */
export interface ReadModel {
  get<D extends Document>(collection: Collection<D>, id: string): Promise<D | undefined>;
  /**
   * Documents that are known to have been written, in the order of the ids. An embedded store that lacks one of them is
   * damaged. A shared one may have set it aside as too large, and leaves it out; otherwise it is unavailable, because
   * another instance is rebuilding it. Ends with the document that reaches so many bytes, as a page does.
   */
  getAll<D extends Document>(collection: Collection<D>, ids: readonly string[], bytes?: number): Promise<readonly D[]>;
  /** Documents with the given values in the `index.equals` fields, in index order; cursors survive later changes. */
  find<D extends Document>(
    collection: Collection<D>,
    index: string,
    equals: readonly (string | number | boolean)[],
    page: PageRequest,
  ): Promise<Page<D>>;
  /** The first page of `find` for each of several values: one query where a round trip costs more than the search. */
  findEach<D extends Document>(
    collection: Collection<D>,
    index: string,
    equals: readonly (readonly (string | number | boolean)[])[],
    page: FirstPage,
  ): Promise<readonly (readonly D[])[]>;
  /** How many match, counted no further than `upTo`. */
  count<D extends Document>(
    collection: Collection<D>,
    index: string,
    equals: readonly (string | number | boolean)[],
    upTo: number,
  ): Promise<number>;
}

/** Who does the background work; `beat` grows with every renewal and with every change of holder. */
export type Lease = Readonly<{ holder: string | null; beat: number }>;

/** One value shared by all instances on the store. No clocks are compared through it. */
export interface SharedLease {
  /** Held by nobody, at beat 0, until an instance takes it. */
  read(): Promise<Lease>;
  /** Replaces exactly `seen` by `next`; false, and no change, if something else was there. Durable when it resolves. */
  replace(seen: Lease, next: Lease): Promise<boolean>;
}

/** Undefined: the lease does not exist, or is to be removed. */
export type LeaseChange = Readonly<{ name: string; seen: Lease | undefined; next: Lease | undefined }>;

/** By name. */
export type Leases = ReadonlyMap<string, Lease>;

/** Several named leases in one place: one write renews all that an instance holds. */
export interface SharedLeases {
  read(): Promise<Leases>;
  /**
   * All changes, each replacing exactly what was seen, or none. Durable when it resolves: with all leases as they are
   * afterwards, or with undefined if something else was there.
   */
  replace(changes: readonly LeaseChange[]): Promise<Leases | undefined>;
}

/**
 * What the projector writes. Every adapter guarantees the following, and the contract suite checks it:
 * - after apply, documents and checkpoint are both stored; after a crash inside apply, replaying the events repairs it;
 * - a write whose position is not newer than the stored document's is ignored, and so is a checkpoint that is no newer;
 * - `writes` are stored in the order given; with `parts`, which says where each next part begins, one part before the
 *   next, and within a part the order between collections is free;
 * - the reactors' bookmarks are stored beside the documents, never go back, and survive a reset of the documents;
 * - the lease, where there is one, survives it as well.
 */
export interface ReadModelStore extends ReadModel, Bookmarks {
  /** Creates or updates collections and indexes. Safe to repeat. */
  prepare(collections: readonly Collection<Document>[]): Promise<void>;
  state(): Promise<ReadModelState>;
  /** In the order of the refs; undefined where there is none. */
  load(refs: readonly DocumentRef[]): Promise<readonly (Stored | undefined)[]>;
  /** `event` is the id of the event at the checkpoint. */
  apply(
    writes: readonly DocumentWrite[],
    checkpoint: Position,
    parts?: readonly number[],
    event?: string,
  ): Promise<void>;
  /**
   * Drops every document and the checkpoint, and records which projections will rebuild them. Bookmarks beyond the end
   * of the log, if it is given, go back to it: the log was restored from a backup, and what follows must not be
   * skipped. What was set aside by reactors stays so, if the log has it (max-bookmark.ts).
   */
  reset(fingerprint: string, end?: Position): Promise<void>;
  /** Every document of a collection in id order, for comparing and auditing. */
  dump(collection: Collection<Document>): AsyncIterable<Stored>;
  /** Whether the store is another process, so that caching documents pays off. */
  readonly isRemote: boolean;
  /** Undefined where only one process can have the store open: it needs no lease. */
  readonly lease: (SharedLease & Readonly<{ shares: SharedLeases }>) | undefined;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export const READ_MODEL = Symbol('ReadModel');
export const READ_MODEL_STORE = Symbol('ReadModelStore');
