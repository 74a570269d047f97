import { type Collection, type Document, MongoServerError } from 'mongodb';
import { type Lease } from '../read-model.port';

/** The lease on the background work, and in `entries` those on shares of it. */
export type LeaseEntry = { _id: string; entries?: Record<string, Lease> } & Lease;

export type InState = <T>(work: (state: Collection<LeaseEntry>) => Promise<T>) => Promise<T>;

/** Replaces fields that are as `filter` says. */
export type Change = Readonly<{
  filter: Document;
  set: Document;
  unset?: Document;
  /** Whether what was seen may mean that there is no document yet. */
  mayCreate?: boolean;
}>;

type Wanted = Readonly<{
  change: Change;
  resolve: (after: Promise<LeaseEntry | null>) => void;
}>;

const LEASE = { _id: 'lease' };
const DUPLICATE_KEY = 11000;

/**
 * All leases of a store, in one document. Changes wanted in the same turn are one command, because those who renew wake
 * up together: while nothing happens, these commands are most of what an instance does.
 */
export class LeaseDocument {
  private wanted: Wanted[] = [];

  constructor(private readonly inState: InState) {}

  read(): Promise<LeaseEntry | null> {
    return this.inState((state) => state.findOne(LEASE));
  }

  /** The document afterwards; null, and no change, if something else was there. */
  replace(change: Change): Promise<LeaseEntry | null> {
    return new Promise((resolve) => {
      this.wanted.push({ change, resolve });
      if (this.wanted.length === 1) setImmediate(() => void this.writeWanted());
    });
  }

  /** The first read of any instance creates it. */
  async begin(): Promise<void> {
    try {
      await this.inState((state) => state.insertOne({ ...LEASE, holder: null, beat: 0, entries: {} }));
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
  }

  private async writeWanted(): Promise<void> {
    const wanted = this.wanted.splice(0);
    const changes = wanted.map(({ change }) => change);
    if (changes.length > 1 && areApart(changes)) {
      const together = this.write(joined(changes));
      // If one of them does not fit, the others still may. An error is everybody's: what was written is not known.
      if ((await together.catch(() => 'failed')) !== null) return wanted.forEach(({ resolve }) => resolve(together));
    }
    for (const { change, resolve } of wanted) resolve(this.write(change));
  }

  private async write({ filter, set, unset = {}, mayCreate = false }: Change): Promise<LeaseEntry | null> {
    const update = { ...(isEmpty(set) ? {} : { $set: set }), ...(isEmpty(unset) ? {} : { $unset: unset }) };
    const options = { upsert: mayCreate, returnDocument: 'after' } as const;
    try {
      return await this.inState((state) => state.findOneAndUpdate({ ...filter, ...LEASE }, update, options));
    } catch (error) {
      // There is a document by now, with something else in it.
      if (isDuplicate(error)) return null;
      throw error;
    }
  }
}

const isEmpty = (fields: Document): boolean => Object.keys(fields).length === 0;

function areApart(changes: readonly Change[]): boolean {
  const fields = changes.flatMap(({ set, unset = {} }) => [...Object.keys(set), ...Object.keys(unset)]);
  return new Set(fields).size === fields.length;
}

const joined = (changes: readonly Change[]): Change => ({
  filter: Object.assign({}, ...changes.map(({ filter }) => filter)) as Document,
  set: Object.assign({}, ...changes.map(({ set }) => set)) as Document,
  unset: Object.assign({}, ...changes.map(({ unset }) => unset ?? {})) as Document,
  mayCreate: changes.every(({ mayCreate }) => mayCreate === true),
});

const isDuplicate = (error: unknown): boolean => error instanceof MongoServerError && error.code === DUPLICATE_KEY;
