import { type Collection, MongoServerError } from 'mongodb';
import { type Lease, type SharedLease } from '../read-model.port';

export type LeaseEntry = { _id: string } & Lease;

type InState = <T>(work: (state: Collection<LeaseEntry>) => Promise<T>) => Promise<T>;

const LEASE = 'lease';
const NOBODYS: Lease = { holder: null, beat: 0 };
const DUPLICATE_KEY = 11000;

/** One document, replaced only where the filter finds it as it was seen; written to the majority like everything here. */
export class MongoLease implements SharedLease {
  constructor(private readonly inState: InState) {}

  async read(): Promise<Lease> {
    const entry = await this.inState((state) => state.findOne({ _id: LEASE }));
    return entry === null ? NOBODYS : { holder: entry.holder, beat: entry.beat };
  }

  async replace({ holder, beat }: Lease, next: Lease): Promise<boolean> {
    // Before the first one there is no document. If there is one by now, the upsert is refused as a duplicate.
    const upsert = holder === NOBODYS.holder && beat === NOBODYS.beat;
    try {
      const { matchedCount, upsertedCount } = await this.inState((state) =>
        state.updateOne({ _id: LEASE, holder, beat }, { $set: { ...next } }, { upsert }),
      );
      return matchedCount + upsertedCount === 1;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return false;
      throw error;
    }
  }
}
