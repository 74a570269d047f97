import { type Collection as MongoCollection, type Db, type MongoClient } from 'mongodb';
import { type Collection, type Document } from '../projection';
import { LOG_START, type Position, StoreUnavailable } from '../../event-store/event-store.port';
import {
  checkCollections,
  checkPosition,
  checkWrites,
  cursorOf,
  fittingCursor,
  searchedIndex,
  type IndexValue,
} from '../index-place';
import {
  type DocumentRef,
  type DocumentWrite,
  type Page,
  type PageRequest,
  type ReadModelStore,
  type Stored,
} from '../read-model.port';
import {
  clientFor,
  type ClientOptions,
  Connection,
  databaseIn,
  type StoredCollection,
  type StoredFields,
} from './connection';
import { storeGuarded } from './guarded-writes';
import { type LeaseEntry, MongoLease } from './mongodb-lease';
import { bytesOf, fits, type SetAside } from './oversized';
import { dropCollections, inItsOwnTime, prepareIndexes } from './preparing';
import { filterFor, sortFor, takenFrom } from './searching';
import { documentIn, everyDocument, type Run, runsOf, storedIn } from './stored-documents';

export type MongoReadModelOptions = Readonly<{
  database?: string;
  answerWithinMs?: number;
  /** Told of a document that MongoDB cannot hold: reads go on showing it as it was when it last fitted. */
  onSetAside?: (what: SetAside) => void;
}>;

type StateEntry = { _id: string; position?: Position; fingerprint?: string; collection?: string; bytes?: number };

const ANSWER_WITHIN_MS = 5_000;
const LEASE_CLIENT = { maxPoolSize: 2 };
/** Of a page that is bounded in bytes: so many are fetched before they are weighed. */
const BATCH = 51;
const STATE = 'read_model_state';
const [CHECKPOINT, FINGERPRINT] = ['checkpoint', 'fingerprint'];
const bookmarkOf = (name: string): string => `bookmark of ${name}`;

/**
 * The read model in MongoDB, without transactions: every document and the checkpoint are guarded by their position, the
 * checkpoint is written last, and so an apply that broke off is mended by repeating it. Opening does not wait for the
 * server; while it is away every call is refused with StoreUnavailable.
 */
export async function openMongoReadModel(url: string, options: MongoReadModelOptions = {}): Promise<ReadModelStore> {
  const within = options.answerWithinMs ?? ANSWER_WITHIN_MS;
  const makeClient = (own?: ClientOptions) => clientFor(url, within, own);
  // A URL that cannot be used is told now, not with the first call.
  await makeClient().close();
  return new MongoReadModel(makeClient, options.database ?? databaseIn(url), within, options.onSetAside);
}

class MongoReadModel implements ReadModelStore {
  readonly lease = new MongoLease((work) =>
    this.leasing.ask((database) => work(database.collection<LeaseEntry>(STATE))),
  );
  private readonly connection: Connection;
  /** Apart from the reads: behind thousands of them a sign of life would come too late. */
  private readonly leasing: Connection;
  private readonly prepared = new Map<string, Collection<Document>>();

  constructor(
    private readonly makeClient: (options?: ClientOptions) => MongoClient,
    private readonly name: string,
    within: number,
    private readonly onSetAside: (what: SetAside) => void = () => undefined,
  ) {
    this.connection = new Connection(makeClient, name, within);
    this.leasing = new Connection(() => makeClient(LEASE_CLIENT), name, within);
  }

  async get<D extends Document>(collection: Collection<D>, id: string): Promise<D | undefined> {
    const found = await this.in(collection, (documents) => documents.findOne({ _id: { $eq: id } }));
    return found === null ? undefined : (documentIn(found) as D);
  }

  async find<D extends Document>(
    collection: Collection<D>,
    indexName: string,
    equals: readonly IndexValue[],
    page: PageRequest,
  ): Promise<Page<D>> {
    const index = searchedIndex(collection, indexName, equals, page);
    const order = page.order ?? 'asc';
    const filter = filterFor(index, equals, fittingCursor(index, page.after), order);
    // One document more than asked for tells whether there is a next page.
    const limit = page.limit + 1;
    const batchSize = page.bytes === undefined ? limit : Math.min(limit, BATCH);
    const { found, isCut } = await this.in(collection, (documents) =>
      takenFrom(documents.find(filter, { sort: sortFor(index, order), limit, batchSize }), page),
    );
    const documents = found.map((fields) => documentIn(fields) as D);
    const last = documents.at(-1);
    return { documents, next: isCut && last !== undefined ? cursorOf(index, last) : null };
  }

  async count<D extends Document>(
    collection: Collection<D>,
    indexName: string,
    equals: readonly IndexValue[],
    upTo: number,
  ): Promise<number> {
    const index = searchedIndex(collection, indexName, equals, { limit: upTo });
    const filter = filterFor(index, equals, undefined, 'asc');
    return this.in(collection, (documents) => documents.countDocuments(filter, { limit: upTo }));
  }

  async load(refs: readonly DocumentRef[]): Promise<readonly (Stored | undefined)[]> {
    const wanted = new Map<Collection<Document>, string[]>();
    for (const { collection, id } of refs) {
      const ids = wanted.get(collection);
      if (ids === undefined) wanted.set(collection, [id]);
      else ids.push(id);
    }
    const stored = new Map<string, Stored>();
    await Promise.all(
      [...wanted].map(async ([collection, ids]) => {
        const found = await this.in(collection, (documents) =>
          documents.find({ _id: { $in: ids } }, { batchSize: ids.length }).toArray(),
        );
        for (const fields of found) stored.set(`${collection.name}/${fields._id}`, storedIn(fields));
      }),
    );
    return refs.map(({ collection, id }) => stored.get(`${collection.name}/${id}`));
  }

  async apply(writes: readonly DocumentWrite[], checkpoint: Position): Promise<void> {
    checkWrites(writes, checkpoint);
    for (const run of runsOf(writes)) await this.store(run);
    await this.advance(CHECKPOINT, checkpoint);
  }

  async checkpoint(): Promise<Position> {
    return this.positionAt(CHECKPOINT);
  }

  async bookmark(name: string): Promise<Position> {
    return this.positionAt(bookmarkOf(name));
  }

  async setBookmark(name: string, position: Position): Promise<void> {
    checkPosition(position);
    await this.advance(bookmarkOf(name), position);
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

  async fingerprint(): Promise<string | undefined> {
    return (await this.inState((state) => state.findOne({ _id: FINGERPRINT })))?.fingerprint;
  }

  /** Without fingerprint and checkpoint from the first step to the last: whoever dies in between has it reset again. */
  async reset(fingerprint: string): Promise<void> {
    await this.inState((state) => state.deleteMany({ _id: { $in: [FINGERPRINT, CHECKPOINT] } }));
    await this.inState((state) => state.deleteMany({ bytes: { $exists: true } }));
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

  private async store({ collection, writes }: Run): Promise<void> {
    try {
      await this.in(collection, (documents) => storeGuarded(documents, writes));
    } catch (error) {
      // Too large a document fails in the driver or at the server, in one of several ways.
      const oversized = error instanceof StoreUnavailable ? [] : writes.filter((write) => !fits(write));
      if (oversized.length === 0) throw error;
      // One document must not hold up all others for ever.
      await this.in(collection, (documents) => storeGuarded(documents, writes.filter(fits)));
      for (const write of oversized) await this.setAside(collection.name, write);
    }
  }

  private async setAside(collection: string, write: StoredFields): Promise<void> {
    const what = { collection, id: write._id, bytes: bytesOf(write) };
    const note = { position: write.position, bytes: what.bytes };
    await this.inState((state) =>
      state.updateOne({ _id: `set aside ${collection}/${write._id}` }, { $set: note }, { upsert: true }),
    );
    this.onSetAside(what);
  }

  private async positionAt(name: string): Promise<Position> {
    return (await this.inState((state) => state.findOne({ _id: name })))?.position ?? LOG_START;
  }

  private async advance(name: string, position: Position): Promise<void> {
    await this.ask((database) => storeGuarded(database.collection<StoredFields>(STATE), [{ _id: name, position }]));
  }

  private in<T>(collection: Collection<Document>, work: (documents: StoredCollection) => Promise<T>): Promise<T> {
    return this.ask((database) => work(database.collection<StoredFields>(collection.name)));
  }

  /** Only what the majority has: who follows another's checkpoint would otherwise be taken back by a failover. */
  private inState<T>(work: (state: MongoCollection<StateEntry>) => Promise<T>): Promise<T> {
    return this.ask((database) => work(database.collection<StateEntry>(STATE, { readConcern: { level: 'majority' } })));
  }

  private ask<T>(work: (database: Db) => Promise<T>): Promise<T> {
    return this.connection.ask(work);
  }

  private async patiently(work: (database: Db) => Promise<void>): Promise<void> {
    await this.ping();
    await inItsOwnTime(this.makeClient, this.name, work);
  }
}
