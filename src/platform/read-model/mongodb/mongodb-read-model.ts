import { type Collection as MongoCollection, type Db, type MongoClient } from 'mongodb';
import { type Collection, type Document } from '../projection';
import { LOG_START, type Position, StoreUnavailable } from '../../event-store/event-store.port';
import { checkCollections, checkPosition, checkWrites, cursorOf, searchedIndex, type IndexValue } from '../index-place';
import {
  type DocumentRef,
  type Page,
  type PageRequest,
  type ReadModelState,
  type ReadModelStore,
  type Stored,
} from '../read-model.port';
import {
  allAtOnce,
  clientFor,
  type ClientOptions,
  Connection,
  databaseIn,
  type StoredCollection,
  type StoredFields,
} from './connection';
import { bookmarkOf, clampBookmarks, type StateEntry } from './bookmarks';
import { storeGuarded } from './guarded-writes';
import { type LeaseEntry, MongoLease } from './mongodb-lease';
import { countSetAside, fits, noteSetAside, type SetAside } from './oversized';
import { dropCollections, withLongTimeout, prepareIndexes } from './preparing';
import { findEach, findTogether } from './finding-each';
import { getAll } from './getting-all';
import { filterFor, findPage } from './searching';
import { allOf, documentIn, everyDocument, loadEach, partsOf, type Run } from './stored-documents';
import { WholeBatch } from './whole-batch';

export type MongoReadModelOptions = Readonly<{
  database?: string;
  answerWithinMs?: number;
  /** Called for a document that is too large for MongoDB: reads keep showing its last version that fitted. */
  onSetAside?: (what: SetAside) => void;
}>;

const RESPONSE_TIMEOUT_MS = 5_000;
const LEASE_CLIENT = { maxPoolSize: 2 };
const STATE = 'read_model_state';
const CHECKPOINT = 'checkpoint';
const FINGERPRINT = 'fingerprint';

/**
 * The read model in MongoDB, without transactions: every document and the checkpoint are guarded by their position, and
 * the checkpoint is written last, so repeating an apply that broke off repairs it. Opening does not wait for the
 * server; while it is unavailable every call rejects with StoreUnavailable.
 */
export async function openMongoReadModel(url: string, options: MongoReadModelOptions = {}): Promise<ReadModelStore> {
  const within = options.answerWithinMs ?? RESPONSE_TIMEOUT_MS;
  const makeClient = (own?: ClientOptions) => clientFor(url, within, own);
  // An unusable URL is reported now, not on the first call.
  await makeClient().close();
  return new MongoReadModel(makeClient, options.database ?? databaseIn(url), within, options.onSetAside);
}

class MongoReadModel implements ReadModelStore {
  readonly isRemote = true;
  readonly damage = (): undefined => undefined;
  readonly lease = new MongoLease((work) =>
    this.leasing.ask((database) => work(database.collection<LeaseEntry>(STATE))),
  );
  private readonly connection: Connection;
  /** Separate from the reads: queued behind thousands of them, a renewal would be too late. */
  private readonly leasing: Connection;
  private readonly whole = new WholeBatch();
  private readonly prepared = new Map<string, Collection<Document>>();

  constructor(
    private readonly makeClient: (options?: ClientOptions) => MongoClient,
    private readonly name: string,
    within: number,
    private readonly onSetAside: (what: SetAside) => void = () => undefined,
  ) {
    this.connection = new Connection(() => this.whole.trackWireVersions(makeClient()), name, within);
    this.leasing = new Connection(() => makeClient(LEASE_CLIENT), name, within);
  }

  async get<D extends Document>(collection: Collection<D>, id: string): Promise<D | undefined> {
    const found = await this.in(collection, (documents) => documents.findOne({ _id: { $eq: id } }));
    return found === null ? undefined : (documentIn(found) as D);
  }

  getAll: ReadModelStore['getAll'] = async (collection, ids, bytes) =>
    getAll(ids, bytes, {
      load: (some) => this.load(some.map((id) => ({ collection, id }))),
      countSetAside: (some) => this.inState((state) => countSetAside(state, collection.name, some)),
    });

  async find<D extends Document>(
    collection: Collection<D>,
    indexName: string,
    equals: readonly IndexValue[],
    page: PageRequest,
  ): Promise<Page<D>> {
    const index = searchedIndex(collection, indexName, equals, page);
    const { documents, isCut } = await this.in(collection, (stored) => findPage(stored, index, equals, page));
    const last = documents.at(-1);
    return { documents: documents as readonly D[], next: isCut && last !== undefined ? cursorOf(index, last) : null };
  }

  findEach: ReadModelStore['findEach'] = async (collection, indexName, equals, page) => {
    if (equals.length === 0) return [];
    const index = searchedIndex(collection, indexName, equals[0] ?? [], page);
    return findEach(equals, {
      together: (values) => this.in(collection, (documents) => findTogether(documents, index, values, page)),
      alone: async (values) => (await this.find(collection, indexName, values, page)).documents,
    });
  };

  count: ReadModelStore['count'] = async (collection, indexName, equals, upTo) => {
    const index = searchedIndex(collection, indexName, equals, { limit: upTo });
    const filter = filterFor(index, equals, undefined, 'asc');
    // Some servers count in 64 bits, which the driver hands over as a bigint.
    return Number(await this.in(collection, (documents) => documents.countDocuments(filter, { limit: upTo })));
  };

  async load(refs: readonly DocumentRef[]): Promise<readonly (Stored | undefined)[]> {
    return loadEach(refs, (collection, ids) =>
      this.in(collection, (documents) => documents.find({ _id: { $in: ids } }, allAtOnce(ids)).toArray()),
    );
  }

  apply: ReadModelStore['apply'] = async (writes, position, beginnings, event) => {
    checkWrites(writes, position);
    const parts = partsOf(writes, beginnings);
    const checkpoint = { _id: CHECKPOINT, position, ...(event === undefined ? {} : { event }) };
    if (await this.storeWhole(parts.flat(), checkpoint)) return;
    for (const part of parts) await allOf(part.map((run) => this.store(run)));
    // A checkpoint that was never written reads as the start of the log.
    if (position > LOG_START) await this.advance(checkpoint);
  };

  async state(): Promise<ReadModelState> {
    const entries = await this.inState((state) => state.find({ _id: { $in: [CHECKPOINT, FINGERPRINT] } }).toArray());
    const { position = LOG_START, event } = entries.find(({ _id }) => _id === CHECKPOINT) ?? {};
    return { position, event, fingerprint: entries.find(({ _id }) => _id === FINGERPRINT)?.fingerprint };
  }

  async bookmark(name: string): Promise<Position> {
    return (await this.inState((state) => state.findOne({ _id: bookmarkOf(name) })))?.position ?? LOG_START;
  }

  async setBookmark(name: string, position: Position): Promise<void> {
    checkPosition(position);
    await this.advance({ _id: bookmarkOf(name), position });
  }

  async prepare(collections: readonly Collection<Document>[]): Promise<void> {
    checkCollections(collections);
    for (const { name } of collections)
      await this.inState((state) =>
        state.updateOne({ _id: `collection ${name}` }, { $set: { collection: name } }, { upsert: true }),
      );
    await this.patiently(async (database) => {
      for (const collection of collections) await prepareIndexes(database, collection);
    });
    for (const collection of collections) this.prepared.set(collection.name, collection);
  }

  /** Fingerprint and checkpoint are absent from first step to last: if the process dies between, it is reset again. */
  async reset(fingerprint: string, end?: Position): Promise<void> {
    await this.inState((state) => state.deleteMany({ _id: { $in: [FINGERPRINT, CHECKPOINT] } }));
    await this.inState((state) => state.deleteMany({ bytes: { $exists: true } }));
    if (end !== undefined) await this.inState((state) => clampBookmarks(state, end));
    const noted = await this.inState((state) => state.find({ collection: { $exists: true } }).toArray());
    const names = noted.flatMap(({ collection }) => collection ?? []);
    await this.patiently(async (database) => {
      await dropCollections(database, names);
      for (const collection of this.prepared.values()) await prepareIndexes(database, collection);
    });
    await this.inState((state) => state.updateOne({ _id: FINGERPRINT }, { $set: { fingerprint } }, { upsert: true }));
  }

  dump(collection: Collection<Document>): AsyncIterable<Stored> {
    return everyDocument((filter, options) =>
      this.in(collection, (documents) => documents.find(filter, options).toArray()),
    );
  }

  async ping(): Promise<void> {
    await this.ask((database) => database.command({ ping: 1 }));
  }

  async close(): Promise<void> {
    await Promise.all([this.connection.close(), this.leasing.close()]);
  }

  private storeWhole(runs: readonly Run[], checkpoint: StoredFields): Promise<boolean> {
    const targets = runs.map(({ collection, writes }) => ({ collection: collection.name, writes }));
    const last = { collection: STATE, writes: [{ fields: checkpoint }] };
    const all = checkpoint.position > LOG_START ? [...targets, last] : targets;
    return this.ask((database) => this.whole.store(database, all));
  }

  private async store({ collection, writes }: Run): Promise<void> {
    try {
      await this.in(collection, (documents) => storeGuarded(documents, writes));
    } catch (error) {
      // A document that is too large fails in the driver or at the server, in one of several ways.
      const oversized = error instanceof StoreUnavailable ? [] : writes.filter((write) => !fits(write));
      if (oversized.length === 0) throw error;
      // One document must not hold up all others forever.
      await this.in(collection, (documents) => storeGuarded(documents, writes.filter(fits)));
      for (const { fields } of oversized) await this.setAside(collection.name, fields);
    }
  }

  private async setAside(collection: string, write: StoredFields): Promise<void> {
    this.onSetAside(await this.inState((state) => noteSetAside(state, collection, write)));
  }

  private async advance(fields: StoredFields): Promise<void> {
    await this.ask((database) => storeGuarded(database.collection<StoredFields>(STATE), [{ fields }]));
  }

  private in<T>(collection: Collection<Document>, work: (documents: StoredCollection) => Promise<T>): Promise<T> {
    return this.ask((database) => work(database.collection<StoredFields>(collection.name)));
  }

  /** Reads only what the majority has: otherwise a failover could roll back a checkpoint that others already follow. */
  private inState<T>(work: (state: MongoCollection<StateEntry>) => Promise<T>): Promise<T> {
    return this.ask((database) => work(database.collection<StateEntry>(STATE, { readConcern: { level: 'majority' } })));
  }

  private ask<T>(work: (database: Db) => Promise<T>): Promise<T> {
    return this.connection.ask(work);
  }

  private async patiently(work: (database: Db) => Promise<void>): Promise<void> {
    await this.ping();
    await withLongTimeout(this.makeClient, this.name, work);
  }
}
