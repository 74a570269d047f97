import { type Document } from 'mongodb';
import { type LeaseChange, type Leases, type SharedLeases } from '../read-model.port';
import { type LeaseDocument, type LeaseEntry } from './lease-document';

/** A field for each lease. A write names those it changes, as they were seen, and no others. */
export class MongoLeases implements SharedLeases {
  constructor(private readonly document: LeaseDocument) {}

  async read(): Promise<Leases> {
    const found = await this.document.read();
    if (found === null) await this.document.begin();
    return leasesIn(found);
  }

  async replace(changes: readonly LeaseChange[]): Promise<Leases | undefined> {
    const [filter, set, unset]: [Document, Document, Document] = [{}, {}, {}];
    for (const { name, seen, next } of changes) {
      const field = `entries.${name}`;
      if (seen === undefined) filter[field] = { $exists: false };
      else Object.assign(filter, { [`${field}.holder`]: seen.holder, [`${field}.beat`]: seen.beat });
      if (next === undefined) unset[field] = '';
      else set[field] = { ...next };
    }
    const after = await this.document.replace({ filter, set, unset });
    return after === null ? undefined : leasesIn(after);
  }
}

function leasesIn(document: LeaseEntry | null): Leases {
  const entries = Object.entries(document?.entries ?? {});
  // Some servers return every count in 64 bits.
  return new Map(entries.map(([name, { holder, beat }]) => [name, { holder, beat: Number(beat) }]));
}
