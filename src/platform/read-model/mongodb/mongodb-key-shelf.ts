import { type Collection, MongoServerError } from 'mongodb';
import { isLiving, type KeptKey, type KeyShelf } from '../key-shelf.port';
import { clientFor, Connection, databaseIn } from './connection';

type KeyEntry = { _id: string; key_id: string | null; wrapped: string | null; destroyed_at: string | null };

const COLLECTION = 'read_model_personal_keys';
const ANSWER_WITHIN_MS = 5_000;
const DUPLICATE_KEY = 11000;

/** Personal keys in a collection that no rebuild touches. What is destroyed is unset at once, and gone from copies when those end. */
export class MongoKeyShelf implements KeyShelf {
  private readonly connection: Connection;

  constructor(url: string) {
    this.connection = new Connection(() => clientFor(url, ANSWER_WITHIN_MS), databaseIn(url), ANSWER_WITHIN_MS);
  }

  async find(owner: string): Promise<KeptKey | undefined> {
    const entry = await this.in((keys) => keys.findOne({ _id: { $eq: owner } }));
    return entry === null ? undefined : keptIn(entry);
  }

  async keep(owner: string, keyId: string, wrapped: string): Promise<KeptKey> {
    const fields = { key_id: keyId, wrapped, destroyed_at: null };
    // The filter lets a living key alone: the upsert then tries to insert a second one, which is refused.
    await this.in((keys) => keys.updateOne({ _id: owner, wrapped: null }, { $set: fields }, { upsert: true })).catch(
      unlessDuplicate,
    );
    const kept = await this.find(owner);
    // Destroyed between the two steps: whoever sealed under it has sealed what nobody reads.
    return kept !== undefined && isLiving(kept) ? kept : { keyId, wrapped };
  }

  async destroy(owner: string, at: string): Promise<void> {
    const destroyed = { wrapped: null, destroyed_at: at };
    const filter = { _id: owner, destroyed_at: null };
    const update = { $set: destroyed, $setOnInsert: { key_id: null } };
    await this.in((keys) => keys.updateOne(filter, update, { upsert: true })).catch(unlessDuplicate);
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private in<T>(work: (keys: Collection<KeyEntry>) => Promise<T>): Promise<T> {
    return this.connection.ask((database) => work(database.collection<KeyEntry>(COLLECTION)));
  }
}

function keptIn({ key_id, wrapped, destroyed_at }: KeyEntry): KeptKey {
  if (key_id !== null && wrapped !== null) return { keyId: key_id, wrapped };
  return { keyId: key_id, destroyedAt: destroyed_at ?? '' };
}

function unlessDuplicate(error: unknown): void {
  if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) throw error;
}
