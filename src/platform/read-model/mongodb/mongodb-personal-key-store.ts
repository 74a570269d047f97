import { type Collection, MongoServerError } from 'mongodb';
import { pause } from '../../../kernel/pause';
import { StoreUnavailable } from '../../event-store/event-store.port';
import { isLiving, type KeptKey, type PersonalKeyStore, type LivingKey } from '../personal-key-store.port';
import { clientFor, Connection, databaseIn } from './connection';

type KeyEntry = { _id: string; key_id: string | null; wrapped: string | null; destroyed_at: string | null };

const COLLECTION = 'read_model_personal_keys';
const RESPONSE_TIMEOUT_MS = 5_000;
const DUPLICATE_KEY = 11000;
const RETRY_DELAY_MS = 50;
const MAX_LOOKUPS = 20;
const OWNERS_BATCH_SIZE = 500;

/**
 * Personal keys in a collection that no rebuild touches. A destroyed key is unset at once, and gone from copies when
 * those expire. Only what the majority has is read: a key that a failover can roll back must not seal anything.
 */
export class MongoPersonalKeyStore implements PersonalKeyStore {
  private readonly connection: Connection;

  constructor(url: string) {
    this.connection = new Connection(() => clientFor(url, RESPONSE_TIMEOUT_MS), databaseIn(url), RESPONSE_TIMEOUT_MS);
  }

  async find(owner: string): Promise<KeptKey | undefined> {
    const entry = await this.in((keys) => keys.findOne({ _id: { $eq: owner } }));
    return entry === null ? undefined : keptIn(entry);
  }

  async keep(owner: string, keyId: string, wrapped: string): Promise<KeptKey> {
    const fields = { key_id: keyId, wrapped, destroyed_at: null };
    // The filter skips a living key: the upsert then tries to insert a second one, which is refused.
    await this.in((keys) => keys.updateOne({ _id: owner, wrapped: null }, { $set: fields }, { upsert: true })).catch(
      unlessDuplicate,
    );
    return this.certain(owner);
  }

  async destroy(owner: string, at: string): Promise<void> {
    const destroyed = { wrapped: null, destroyed_at: at };
    const filter = { _id: owner, destroyed_at: null };
    const update = { $set: destroyed, $setOnInsert: { key_id: null } };
    await this.in((keys) => keys.updateOne(filter, update, { upsert: true })).catch(unlessDuplicate);
  }

  async *owners(): AsyncGenerator<string, void> {
    for (let last = ''; ;) {
      const filter = { _id: { $gt: last }, wrapped: { $ne: null } };
      const page = await this.in((keys) =>
        keys
          .find(filter, { projection: { _id: 1 } })
          .sort({ _id: 1 })
          .limit(OWNERS_BATCH_SIZE)
          .toArray(),
      );
      for (const { _id } of page) yield _id;
      if (page.length < OWNERS_BATCH_SIZE) return;
      last = page.at(-1)?._id ?? last;
    }
  }

  async rewrap(owner: string, { keyId, wrapped: before }: LivingKey, wrapped: string): Promise<boolean> {
    const filter = { _id: owner, key_id: keyId, wrapped: before };
    const { matchedCount } = await this.in((keys) => keys.updateOne(filter, { $set: { wrapped } }));
    // Some servers count in 64 bits, which the driver hands over as a bigint.
    return Number(matchedCount) === 1;
  }

  placeOf(owner: string): string {
    return `${COLLECTION}/${owner}`;
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /** Another writer's key may not have reached the majority yet, or is being destroyed: ours must not be used. */
  private async certain(owner: string): Promise<KeptKey> {
    for (let lookups = 0; lookups < MAX_LOOKUPS; lookups += 1) {
      if (lookups > 0) await pause(RETRY_DELAY_MS);
      const kept = await this.find(owner);
      if (isLiving(kept)) return kept;
    }
    throw new StoreUnavailable('unknown', new Error('it is not certain yet which key the owner has'));
  }

  private in<T>(work: (keys: Collection<KeyEntry>) => Promise<T>): Promise<T> {
    return this.connection.ask((database) =>
      work(database.collection<KeyEntry>(COLLECTION, { readConcern: { level: 'majority' } })),
    );
  }
}

function keptIn({ key_id, wrapped, destroyed_at }: KeyEntry): KeptKey {
  if (key_id !== null && wrapped !== null) return { keyId: key_id, wrapped };
  return { keyId: key_id, destroyedAt: destroyed_at ?? '' };
}

function unlessDuplicate(error: unknown): void {
  if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) throw error;
}
