import { type Collection as MongoCollection, type Db, type MongoClient } from 'mongodb';
import { type Collection, type Document } from '../../../../projections/projection';
import { LOG_START, type Position } from '../../event-store/event-store.port';
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
import { answered } from './answering';
import { clientFor, Connection, databaseIn, type StoredCollection, type StoredFields } from './connection';
import { fromFields, toFields } from './fields';
import { storeGuarded } from './guarded-writes';
import { type LeaseEntry, MongoLease } from './mongodb-lease';
import { dropCollections, prepareIndexes } from './preparing';
import { filterFor, sortFor } from './searching';

export type MongoReadModelOptions = Readonly<{ database?: string; answerWithinMs?: number }>;

type StateEntry = { _id: string; position?: Position; fingerprint?: string; collection?: string };

const ANSWER_WITHIN_MS = 5_000;
const PREPARE_WITHIN_MS = 10 * 60_000;
const DUMP_PAGE = 500;
const STATE = 'read_model_state';
const CHECKPOINT = 'checkpoint';
const FINGERPRINT = 'fingerprint';
const bookmarkOf = (name: string): string => `bookmark of ${name}`;

/**
 * The read model in MongoDB, without transactions: every document and the checkpoint are guarded by their position, the
 * checkpoint is written last, and so an apply that broke off is mended by repeating it. Opening does not wait for the
 * server; while it is away every call is refused with StoreUnavailable.
 */
export async function openMongoReadModel(url: string, options: MongoReadModelOptions = {}): Promise<ReadModelStore> {
  const within = options.answerWithinMs ?? ANSWER_WITHIN_MS;
  const makeClient = (socketTimeoutMs?: number) => clientFor(url, within, socketTimeoutMs);
  // A URL that cannot be used is told now, not with the first call.
  await makeClient().close();
  return new MongoReadModel(makeClient, options.database ?? databaseIn(url), within);
}

class MongoReadModel implements ReadModelStore {
  readonly lease = new MongoLease((work) => this.ask((database) => work(database.collection<LeaseEntry>(STATE))));
  private readonly connection: Connection;
  private readonly prepared = new Map<string, Collection<Document>>();

  constructor(
    private readonly makeClient: (socketTimeoutMs?: number) => MongoClient,
    private readonly name: string,
    private readonly within: number,
  ) {
    this.connection = new Connection(makeClient, name, within);
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
    const found = await this.in(collection, (documents) =>
      documents.find(filter, { sort: sortFor(index, order), limit, batchSize: limit }).toArray(),
    );
    const documents = found.slice(0, page.limit).map((fields) => documentIn(fields) as D);
    const last = documents.at(-1);
    return { documents, next: found.length < limit || last === undefined ? null : cursorOf(index, last) };
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
    for (const run of runsOf(writes)) await this.in(run.collection, (documents) => storeGuarded(documents, run.writes));
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
    const noted = await this.inState((state) => state.find({ collection: { $exists: true } }).toArray());
    const names = noted.flatMap(({ collection }) => collection ?? []);
    await this.patiently(async (database) => {
      await dropCollections(database, names);
      for (const collection of this.prepared.values()) await prepareIndexes(database, collection);
    });
    await this.inState((state) => state.updateOne({ _id: FINGERPRINT }, { $set: { fingerprint } }, { upsert: true }));
  }

  async *dump(collection: Collection<Document>): AsyncIterable<Stored> {
    let after: string | undefined;
    for (;;) {
      const filter = after === undefined ? {} : { _id: { $gt: after } };
      const page = await this.in(collection, (documents) =>
        documents.find(filter, { sort: { _id: 1 }, limit: DUMP_PAGE, batchSize: DUMP_PAGE }).toArray(),
      );
      yield* page.map(storedIn);
      after = page.at(-1)?._id;
      if (after === undefined) return;
    }
  }

  async ping(): Promise<void> {
    await this.ask((database) => database.command({ ping: 1 }));
  }

  close(): Promise<void> {
    return this.connection.close();
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

  private inState<T>(work: (state: MongoCollection<StateEntry>) => Promise<T>): Promise<T> {
    return this.ask((database) => work(database.collection<StateEntry>(STATE)));
  }

  private ask<T>(work: (database: Db) => Promise<T>): Promise<T> {
    return this.connection.ask(work);
  }

  /** A connection of its own, which waits as long as it takes to build an index over what is there. */
  private async patiently(work: (database: Db) => Promise<void>): Promise<void> {
    await this.ping();
    const client = this.makeClient(PREPARE_WITHIN_MS);
    try {
      await answered(PREPARE_WITHIN_MS, () => work(client.db(this.name)));
    } finally {
      await client.close();
    }
  }
}

const documentIn = ({ document }: StoredFields): Document => fromFields(document ?? {}) as Document;

const storedIn = (fields: StoredFields): Stored => ({ document: documentIn(fields), position: fields.position });

type Run = { collection: Collection<Document>; writes: StoredFields[] };

/**
 * Neighbours of one collection go in one bulk write. Never more: the order across collections is a promise, and the
 * caller puts writes of one collection together wherever their order is free.
 */
function runsOf(writes: readonly DocumentWrite[]): Run[] {
  const runs: Run[] = [];
  for (const { collection, document, position } of writes) {
    let run = runs.at(-1);
    if (run?.collection.name !== collection.name) runs.push((run = { collection, writes: [] }));
    run.writes.push({ _id: document.id, position, document: toFields(document) });
  }
  return runs;
}
