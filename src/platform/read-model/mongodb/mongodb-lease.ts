import { type Collection, MongoServerError } from 'mongodb';
import { type Lease, type SharedLease, type SharedLeases } from '../read-model.port';
import { MongoLeases } from './mongodb-leases';

export type LeaseEntry = { _id: string; entries?: Record<string, Lease> } & Lease;

export type InState = <T>(work: (state: Collection<LeaseEntry>) => Promise<T>) => Promise<T>;

const LEASE = 'lease';
const UNHELD: Lease = { holder: null, beat: 0 };
const DUPLICATE_KEY = 11000;

/** Compare-and-set on one document, written with majority write concern like everything here. */
export class MongoLease implements SharedLease {
  readonly shares: SharedLeases;

  constructor(private readonly inState: InState) {
    this.shares = new MongoLeases(inState);
  }

  async read(): Promise<Lease> {
    const entry = await this.inState((state) => state.findOne({ _id: LEASE }));
    // Some servers return every count in 64 bits.
    return entry === null ? UNHELD : { holder: entry.holder, beat: Number(entry.beat) };
  }

  async replace({ holder, beat }: Lease, next: Lease): Promise<boolean> {
    // Before the first lease there is no document. If there is one by now, the upsert fails as a duplicate.
    const upsert = holder === UNHELD.holder && beat === UNHELD.beat;
    try {
      const { matchedCount, upsertedCount } = await this.inState((state) =>
        state.updateOne({ _id: LEASE, holder, beat }, { $set: { ...next } }, { upsert }),
      );
      return Number(matchedCount) + Number(upsertedCount) === 1;
    } catch (error) {
      if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return false;
      throw error;
    }
  }
}
