import { newId } from '../../kernel/ids';
import { type Lease, type LeaseChange, type Leases, type SharedLeases } from '../read-model/read-model.port';
import { Shares } from './shares';

export class LeasesInMemory implements SharedLeases {
  entries = new Map<string, Lease>();
  reads = 0;
  writes = 0;
  fault: 'none' | 'unheard' | 'lost' | 'refused' = 'none';

  async read(): Promise<Leases> {
    this.reads += 1;
    return new Map(this.entries);
  }

  async replace(changes: readonly LeaseChange[]): Promise<Leases | undefined> {
    this.writes += 1;
    const { fault } = this;
    this.fault = 'none';
    if (fault === 'lost') throw new Error('away');
    if (fault === 'refused') return undefined;
    if (new Set(changes.map(({ name }) => name)).size < changes.length) throw new Error('one lease, changed twice');
    const same = ({ name, seen }: LeaseChange): boolean => {
      const found = this.entries.get(name);
      return found?.holder === seen?.holder && found?.beat === seen?.beat;
    };
    const fits = changes.every(same);
    for (const { name, next } of fits ? changes : []) {
      if (next === undefined) this.entries.delete(name);
      else this.entries.set(name, next);
    }
    if (fault === 'unheard') throw new Error('no answer');
    return fits ? new Map(this.entries) : undefined;
  }
}

export const ids = Array.from({ length: 500 }, () => newId('whe'));

/** Each instance has its own clock: nothing may depend on clocks that agree. */
export class Instance {
  /** An integer: fractions lose their last digits as a number grows, and a wait would come out too short. */
  time = Math.floor(Math.random() * 1e6);
  gained = 0;
  readonly warnings: string[] = [];
  /** Ends the work in flight, before a share can be given back. */
  end = (): Promise<void> => Promise.resolve();
  readonly shares: Shares;

  constructor(
    readonly name: string,
    private readonly leases: SharedLeases,
    dead: ReadonlySet<string>,
  ) {
    const clocks = { steady: () => this.time, wall: () => this.time };
    const neighbours = { hasDied: async (other: string) => dead.has(other) };
    const log = { info: () => undefined, warn: (_: object, message: string) => void this.warnings.push(message) };
    this.shares = new Shares(name, leases, log, clocks, neighbours);
    Reflect.set(this.shares, 'holder', { gained: () => (this.gained += 1), release: () => this.end() });
  }

  async look(): Promise<void> {
    await this.shares.poll(this.leases).catch(() => undefined);
    // What is released has ended by the next poll, unless a test delays it.
    await new Promise(setImmediate);
  }

  get held(): readonly string[] {
    return ids.filter((id) => this.shares.holds(id));
  }
}
