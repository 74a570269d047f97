import { type Lease, type SharedLease, type SharedLeases } from '../read-model.port';
import { type InState, LeaseDocument } from './lease-document';
import { MongoLeases } from './mongodb-leases';

export { type LeaseEntry } from './lease-document';

const UNHELD: Lease = { holder: null, beat: 0 };

/** Compare-and-set on two fields of one document, written with majority write concern like everything here. */
export class MongoLease implements SharedLease {
  readonly shares: SharedLeases;
  private readonly document: LeaseDocument;

  constructor(inState: InState) {
    this.document = new LeaseDocument(inState);
    this.shares = new MongoLeases(this.document);
  }

  async read(): Promise<Lease> {
    const found = await this.document.read();
    // Some servers return every count in 64 bits.
    return found === null ? UNHELD : { holder: found.holder, beat: Number(found.beat) };
  }

  async replace({ holder, beat }: Lease, next: Lease): Promise<boolean> {
    const mayCreate = holder === UNHELD.holder && beat === UNHELD.beat;
    return (await this.document.replace({ filter: { holder, beat }, set: { ...next }, mayCreate })) !== null;
  }
}
