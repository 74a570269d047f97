import { pause } from '../../kernel/pause';
import { type LeaseChange, type Lease, type SharedLeases } from '../read-model/read-model.port';
import { type Clocks, LEADS_FOR_MS, type LeadershipLog, SILENT_FOR_MS } from './leadership';
import { type Neighbours } from './neighbours';
import { ownerOf, partitionOf, PARTITIONS } from './partitions';

const LOOK_EVERY_MS = 200;
const SHOW_LIFE_EVERY_MS = 400;
const memberOf = (name: string): string => `m${name}`;

type Moment = Readonly<{ steady: number; wall: number }>;
type Found = ReadonlyMap<string, Lease>;

/** Who is told when the share changes. */
export type ShareHolder = Readonly<{
  /** There is more to do than before. */
  gained(): void;
  /** Ends what is not `keeps` any more; resolves when all of it is recorded. */
  letGo(): Promise<void>;
}>;

const nobody: ShareHolder = { gained: () => undefined, letGo: () => Promise.resolve() };

/**
 * Which part of some work is this instance's: things are dealt out by the hash of their id into partitions, and each partition
 * has a lease that is kept as the one on the background work is (see Leadership), by the clock of its holder alone. Instances say that
 * they are there; a partition is for the one with the highest hash of both, so that all agree without talking. One that has what is
 * another's by that rule ends it in order and gives it back; one that falls silent loses it.
 */
export class Shares {
  private held = new Map<string, Lease>();
  private renewedAt: Moment | undefined;
  /** Each lease as it was last seen to change, by the own clock. */
  private readonly seen = new Map<string, Readonly<{ lease: Lease; at: number }>>();
  /** Another's by the rule: being ended, or ended and to be given back at the next look. */
  private readonly leaving = new Map<string, 'ending' | 'ended'>();
  private holder: ShareHolder = nobody;
  private stopping: AbortController | undefined;
  private looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly name: string,
    /** Undefined where one instance does all of it. */
    private readonly leases: SharedLeases | undefined,
    private readonly log: LeadershipLog,
    private readonly clocks: Clocks,
    private readonly neighbours: Pick<Neighbours, 'hasDied'>,
    private readonly mayTake = true,
  ) {}

  /** True at this very moment: it may be done and recorded here. */
  holds(id: string): boolean {
    if (this.leases === undefined) return this.mayTake;
    return this.held.has(partitionOf(id)) && this.isFresh();
  }

  /** As holds, and it will be so: it may be begun here. */
  keeps(id: string): boolean {
    return this.holds(id) && !this.leaving.has(partitionOf(id));
  }

  /** How many partitions are held now. */
  get size(): number {
    if (this.leases === undefined) return this.mayTake ? PARTITIONS.length : 0;
    return this.isFresh() ? this.held.size : 0;
  }

  /** Looks once, and then several times a second in the background. Also after a stop. */
  async start(holder: ShareHolder): Promise<void> {
    const { leases } = this;
    if (leases === undefined || !this.mayTake || this.stopping !== undefined) return;
    this.holder = holder;
    this.stopping = new AbortController();
    await this.lookOrWarn(leases);
    this.looking = this.keepLooking(leases, this.stopping.signal);
  }

  /** Gives all of it away; whatever was done with it must have ended. */
  async stop(): Promise<void> {
    const { leases, stopping } = this;
    if (leases === undefined || stopping === undefined) return;
    this.stopping = undefined;
    stopping.abort();
    await this.looking;
    this.renewedAt = undefined;
    this.holder = nobody;
    // If that fails, the others find out by the silence.
    await this.giveAllBack(leases).catch(() => undefined);
    this.held.clear();
    this.leaving.clear();
  }

  /** One look: finds out who is there, shows life, takes what is free and its own, gives back what is another's. */
  async look(leases: SharedLeases): Promise<void> {
    const wasFresh = this.isFresh();
    const found = await leases.read();
    this.note(found);
    const dead = await this.deadIn(found);
    const wanted = this.wantedAmong(this.livingIn(found, dead));
    const before = this.now();
    const taken = PARTITIONS.filter(
      (partition) => wanted.has(partition) && !this.held.has(partition) && this.isFree(partition, found, dead),
    );
    const ended = [...this.leaving].filter(([, state]) => state === 'ended').map(([partition]) => partition);
    const gone = [...found].filter(([name, { holder }]) => this.isGone(name, holder, dead));
    const hasNews = taken.length > 0 || ended.length > 0 || gone.length > 0;
    const isDue = before.steady - (this.renewedAt?.steady ?? -Infinity) >= SHOW_LIFE_EVERY_MS;
    if (hasNews || isDue) {
      const changes = [
        ...this.signsOfLife(found, ended),
        ...taken.map((partition) => changeOf(found, partition, this.name)),
        ...ended.map((partition) => changeOf(found, partition, null)),
        ...gone.map(([name, seen]) => ({ name, seen, next: undefined })),
      ];
      if (!(await this.write(leases, changes, before))) await this.showLife(leases);
    }
    this.adjust(wanted);
    const hasMore = taken.some((partition) => this.held.has(partition)) || (!wasFresh && this.held.size > 0);
    if (hasMore && this.isFresh()) this.holder.gained();
  }

  /** What it has is renewed, even where others were quicker with what it wanted. */
  private async showLife(leases: SharedLeases): Promise<void> {
    const before = this.now();
    const found = await leases.read();
    this.note(found);
    await this.write(leases, this.signsOfLife(found, []), before);
  }

  private async write(leases: SharedLeases, changes: readonly LeaseChange[], before: Moment): Promise<boolean> {
    if (!(await leases.replace(changes))) return false;
    for (const { name, next } of changes) {
      if (!PARTITIONS.includes(name)) continue;
      if (next?.holder === this.name) this.held.set(name, next);
      else this.held.delete(name);
      if (!this.held.has(name)) this.leaving.delete(name);
    }
    this.renewedAt = before;
    return true;
  }

  private signsOfLife(found: Found, ended: readonly string[]): readonly LeaseChange[] {
    const kept = [...this.held.keys()].filter((partition) => !ended.includes(partition));
    return [memberOf(this.name), ...kept].map((name) => changeOf(found, name, this.name));
  }

  /** What changed since the last look, and what of the own is another's by now. */
  private note(found: Found): void {
    const at = this.clocks.steady();
    for (const [name, lease] of found) {
      const before = this.seen.get(name)?.lease;
      if (before?.holder !== lease.holder || before?.beat !== lease.beat) this.seen.set(name, { lease, at });
      // The answer to one of our own writes was lost: what is there is ours.
      if (lease.holder === this.name && PARTITIONS.includes(name)) this.held.set(name, lease);
    }
    for (const name of this.seen.keys()) if (!found.has(name)) this.seen.delete(name);
    const lost = [...this.held.keys()].filter((partition) => found.get(partition)?.holder !== this.name);
    for (const partition of lost) {
      this.held.delete(partition);
      this.leaving.delete(partition);
    }
    if (lost.length === 0) return;
    this.log.warn(
      { instance: this.name, partitions: lost.length },
      'another instance has taken over a share of the work',
    );
    void this.holder.letGo();
  }

  /** Begins to end what is another's by the rule; one that became its own again in the meantime is still given back. */
  private adjust(wanted: ReadonlySet<string>): void {
    const leaving = [...this.held.keys()].filter((partition) => !wanted.has(partition) && !this.leaving.has(partition));
    if (leaving.length === 0) return;
    for (const partition of leaving) this.leaving.set(partition, 'ending');
    void this.holder.letGo().then(() => {
      for (const partition of leaving) if (this.leaving.has(partition)) this.leaving.set(partition, 'ended');
    });
  }

  private async deadIn(found: Found): Promise<ReadonlySet<string>> {
    const holders = new Set([...found.values()].flatMap(({ holder }) => holder ?? []));
    holders.delete(this.name);
    const dead = await Promise.all(
      [...holders].map(async (name) => ((await this.neighbours.hasDied(name)) ? [name] : [])),
    );
    return new Set(dead.flat());
  }

  private livingIn(found: Found, dead: ReadonlySet<string>): readonly string[] {
    const others = [...found].filter(([name, { holder }]) => name.startsWith('m') && !this.isGone(name, holder, dead));
    return [...new Set([this.name, ...others.flatMap(([, { holder }]) => holder ?? [])])];
  }

  /** An instance that is not there any more; its name is never used again. */
  private isGone(name: string, holder: string | null, dead: ReadonlySet<string>): boolean {
    if (!name.startsWith('m') || holder === this.name) return false;
    return holder === null || dead.has(holder) || this.isSilent(name);
  }

  private isFree(partition: string, found: Found, dead: ReadonlySet<string>): boolean {
    const holder = found.get(partition)?.holder ?? null;
    return holder === null || dead.has(holder) || this.isSilent(partition);
  }

  private isSilent(name: string): boolean {
    return this.clocks.steady() - (this.seen.get(name)?.at ?? Infinity) >= SILENT_FOR_MS;
  }

  private wantedAmong(living: readonly string[]): ReadonlySet<string> {
    return new Set(PARTITIONS.filter((partition) => ownerOf(partition, living) === this.name));
  }

  private async giveAllBack(leases: SharedLeases): Promise<void> {
    const found = await leases.read();
    const own = [...found].filter(([name, { holder }]) => holder === this.name && !name.startsWith('m'));
    const member = { name: memberOf(this.name), seen: found.get(memberOf(this.name)), next: undefined };
    await leases.replace([...own.map(([name]) => changeOf(found, name, null)), member]);
  }

  private async keepLooking(leases: SharedLeases, signal: AbortSignal): Promise<void> {
    for (let begun = this.clocks.steady(); ;) {
      await pause(Math.max(0, LOOK_EVERY_MS - (this.clocks.steady() - begun)), signal);
      if (signal.aborted) return;
      begun = this.clocks.steady();
      await this.lookOrWarn(leases);
    }
  }

  private async lookOrWarn(leases: SharedLeases): Promise<void> {
    await this.look(leases).catch((error: unknown) =>
      this.log.warn({ err: error }, 'the leases on shares of the work could not be looked at'),
    );
  }

  private isFresh(): boolean {
    if (this.renewedAt === undefined) return false;
    const { steady, wall } = this.now();
    return Math.max(steady - this.renewedAt.steady, wall - this.renewedAt.wall) < LEADS_FOR_MS;
  }

  private now(): Moment {
    return { steady: this.clocks.steady(), wall: this.clocks.wall() };
  }
}

const changeOf = (found: Found, name: string, holder: string | null): LeaseChange => {
  const seen = found.get(name);
  return { name, seen, next: { holder, beat: (seen?.beat ?? 0) + 1 } };
};
