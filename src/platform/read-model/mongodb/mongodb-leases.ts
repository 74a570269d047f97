import { MongoServerError } from 'mongodb';
import { type Lease, type LeaseChange, type Leases, type SharedLeases } from '../read-model.port';
import { type InState, type LeaseEntry } from './mongodb-lease';

const LEASES = 'shares';
const DUPLICATE_KEY = 11000;

/** One document with a field for each lease. A write names those it changes, as they were seen, and no others. */
export class MongoLeases implements SharedLeases {
  constructor(private readonly inState: InState) {}

  async read(): Promise<Leases> {
    const found = await this.inState((state) => state.findOne({ _id: LEASES }));
    if (found === null) await this.begin();
    return leasesIn(found);
  }

  async replace(changes: readonly LeaseChange[]): Promise<Leases | undefined> {
    const filter: Record<string, unknown> = { _id: LEASES };
    const $set: Record<string, Lease> = {};
    const $unset: Record<string, ''> = {};
    for (const { name, seen, next } of changes) {
      const field = `entries.${name}`;
      if (seen === undefined) filter[field] = { $exists: false };
      else Object.assign(filter, { [`${field}.holder`]: seen.holder, [`${field}.beat`]: seen.beat });
      if (next === undefined) $unset[field] = '';
      else $set[field] = { ...next };
    }
    const update = {
      ...(Object.keys($set).length > 0 ? { $set } : {}),
      ...(Object.keys($unset).length > 0 ? { $unset } : {}),
    };
    const after = await this.inState((state) => state.findOneAndUpdate(filter, update, { returnDocument: 'after' }));
    return after === null ? undefined : leasesIn(after);
  }

  /** The first read of any instance creates the one document. */
  private async begin(): Promise<void> {
    try {
      const first: LeaseEntry = { _id: LEASES, holder: null, beat: 0, entries: {} };
      await this.inState((state) => state.insertOne(first));
    } catch (error) {
      if (!(error instanceof MongoServerError && error.code === DUPLICATE_KEY)) throw error;
    }
  }
}

function leasesIn(document: LeaseEntry | null): Leases {
  const entries = Object.entries(document?.entries ?? {});
  // Some servers return every count in 64 bits.
  return new Map(entries.map(([name, { holder, beat }]) => [name, { holder, beat: Number(beat) }]));
}
