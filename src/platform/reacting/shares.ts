import { type Lease, type LeaseChange, type Leases, type SharedLeases } from '../read-model/read-model.port';
import { type Clocks, LeaseLoop, type LeaseLog, LOOK_EVERY_MS, type Moment, SHOW_LIFE_EVERY_MS } from './lease-loop';
import { changeOf, memberOf } from './lease-changes';
import { type Neighbours } from './neighbours';
import { ownerOf, partitionOf, PARTITIONS } from './partitions';

/** Notified when the share changes. */
export type ShareHolder = Readonly<{
  /** There is more to do than before. */
  gained(): void;
  /** Ends the work that `keeps` no longer allows; resolves when all of it is recorded. */
  letGo(): Promise<void>;
}>;

const nobody: ShareHolder = { gained: () => undefined, letGo: () => Promise.resolve() };

/**
 * Which part of some work is this instance's: ids are hashed into partitions, and each partition has a lease, kept like
 * the one on the background work (see Leadership) by its holder's clock alone. Instances announce themselves; a
 * partition belongs to the instance with the highest hash of both, so that all agree without talking. An instance that
 * holds another's partition by that rule ends its work in order and gives it back; one that falls silent loses it.
 */
export class Shares {
  private held = new Map<string, Lease>();
  /**
   * Partitions that are another's, by the rule or because it took over: work on them is ending; failed to end, to be
   * retried at the next poll; or ended, to be given back then. A lost one is not retaken before its work here ended.
   */
  private readonly leaving = new Map<string, 'ending' | 'failed' | 'ended'>();
  private holder: ShareHolder = nobody;
  /** All leases as last written, while there is no other instance and this one holds all of them. */
  private alone: Leases | undefined;
  private readonly loop: LeaseLoop;

  constructor(
    private readonly name: string,
    /** Undefined where one instance does all the work. */
    private readonly leases: SharedLeases | undefined,
    private readonly log: LeaseLog,
    clocks: Clocks,
    private readonly neighbours: Pick<Neighbours, 'hasDied'>,
    private readonly mayTake = true,
  ) {
    this.loop = new LeaseLoop(log, clocks, 'the leases on shares of the work could not be looked at');
  }

  /** True at this very moment: the work may be done and recorded here. */
  holds(id: string): boolean {
    return this.mayHold(id) && (this.leases === undefined || this.loop.isFresh());
  }

  /** As `holds`, and it will stay so: work may be started here. */
  keeps(id: string): boolean {
    return this.holds(id) && !this.isLeaving(id);
  }

  /** As far as known: after a stall the next poll tells whether another instance holds it by now. */
  mayHold(id: string): boolean {
    return this.leases === undefined ? this.mayTake : this.held.has(partitionOf(id));
  }

  /** It is another instance's, or is being given to one; a stall of this instance alone does not make it so. */
  isLeaving(id: string): boolean {
    return !this.mayHold(id) || this.leaving.has(partitionOf(id));
  }

  /** How many partitions are held now. */
  get size(): number {
    if (this.leases === undefined) return this.mayTake ? PARTITIONS.length : 0;
    return this.loop.isFresh() ? this.held.size : 0;
  }

  /** Polls once, and then several times a second in the background. Can be called again after a stop. */
  async start(holder: ShareHolder): Promise<void> {
    const { leases } = this;
    if (leases === undefined || !this.mayTake || this.loop.isRunning) return;
    this.holder = holder;
    await this.loop.start(
      () => this.look(leases),
      () => (this.alone === undefined ? LOOK_EVERY_MS : SHOW_LIFE_EVERY_MS),
    );
  }

  /** Gives back everything; the work on it must have ended. */
  async stop(): Promise<void> {
    const { leases } = this;
    if (leases === undefined || !this.loop.isRunning) return;
    const isFresh = await this.loop.stop();
    this.holder = nobody;
    // If that fails, the others notice the silence.
    if (isFresh) await this.giveAllBack(leases).catch(() => undefined);
    this.held.clear();
    this.leaving.clear();
    this.alone = undefined;
  }

  /** One poll: finds the living instances, renews, takes what is free and its own, gives back what is another's. */
  async look(leases: SharedLeases): Promise<void> {
    const wasFresh = this.loop.isFresh();
    const heldBefore = new Set(this.held.keys());
    const found = (await this.showLifeAlone(leases)) ?? (await leases.read());
    this.note(found);
    const dead = await this.deadIn(found);
    const living = this.livingIn(found, dead);
    const wanted = this.wantedAmong(living);
    const before = this.loop.now();
    const taken = PARTITIONS.filter((partition) => wanted.has(partition) && this.mayHave(partition, found, dead));
    const ended = this.leavingAs('ended');
    const gone = [...found].filter(([name, { holder }]) => this.isGone(name, holder, dead));
    const hasNews = taken.length > 0 || ended.length > 0 || gone.length > 0;
    let left = found;
    if (hasNews || this.loop.isDue()) {
      const changes = [
        ...this.signsOfLife(found, ended),
        ...taken.map((partition) => changeOf(found, partition, this.name)),
        ...ended.map((partition) => changeOf(found, partition, null)),
        ...gone.map(([name, seen]) => ({ name, seen, next: undefined })),
      ];
      left = (await this.write(leases, changes, before)) ?? (await this.showLife(leases)) ?? found;
    }
    this.adjust(wanted);
    const hasAll = this.held.size === PARTITIONS.length && this.leaving.size === 0;
    this.alone = living.length === 1 && hasAll ? left : undefined;
    const hasMore = [...this.held.keys()].some((one) => !heldBefore.has(one)) || (!wasFresh && this.held.size > 0);
    if (hasMore && this.loop.isFresh()) this.holder.gained();
  }

  /** When alone, one command instead of two: the result of the renewal tells whether another instance has come. */
  private async showLifeAlone(leases: SharedLeases): Promise<Leases | undefined> {
    const found = this.alone;
    this.alone = undefined;
    if (found === undefined) return undefined;
    return this.write(leases, this.signsOfLife(found, []), this.loop.now());
  }

  /** Renews what it holds, even if others were quicker to take what it wanted. */
  private async showLife(leases: SharedLeases): Promise<Leases | undefined> {
    const before = this.loop.now();
    const found = await leases.read();
    this.note(found);
    return this.write(leases, this.signsOfLife(found, []), before);
  }

  /** All leases after the write; undefined if one of them was not as it was found. */
  private async write(
    leases: SharedLeases,
    changes: readonly LeaseChange[],
    before: Moment,
  ): Promise<Leases | undefined> {
    const after = await leases.replace(changes);
    if (after === undefined) return undefined;
    for (const { name, next } of changes) {
      if (!PARTITIONS.includes(name)) continue;
      if (next?.holder === this.name) this.held.set(name, next);
      else this.held.delete(name);
      if (!this.held.has(name)) this.leaving.delete(name);
    }
    this.loop.renewed(before);
    return after;
  }

  private signsOfLife(found: Leases, ended: readonly string[]): readonly LeaseChange[] {
    const kept = [...this.held.keys()].filter((partition) => !ended.includes(partition));
    return [memberOf(this.name), ...kept].map((name) => changeOf(found, name, this.name));
  }

  /** Records what changed since the last poll, and which of our partitions are another's by now. */
  private note(found: Leases): void {
    for (const [name, lease] of found) {
      this.loop.note(name, lease);
      // The answer to one of our own writes was lost: this lease is ours.
      if (lease.holder === this.name && PARTITIONS.includes(name)) this.held.set(name, lease);
    }
    this.loop.forgetAllBut(found);
    const lost = [...this.held.keys()].filter((partition) => found.get(partition)?.holder !== this.name);
    if (lost.length === 0) return;
    for (const partition of lost) this.held.delete(partition);
    this.log.warn(
      { instance: this.name, partitions: lost.length },
      'another instance has taken over a share of the work',
    );
    void this.letGo(lost);
  }

  /** Starts to end what is another's by the rule; a partition that became ours again meanwhile is still given back. */
  private adjust(wanted: ReadonlySet<string>): void {
    const leaving = [...this.held.keys()].filter((partition) => !wanted.has(partition) && !this.leaving.has(partition));
    const again = this.leavingAs('failed');
    if (leaving.length + again.length > 0) void this.letGo([...leaving, ...again]);
  }

  /** Never rejects: nobody awaits it. */
  private async letGo(partitions: readonly string[]): Promise<void> {
    for (const partition of partitions) this.leaving.set(partition, 'ending');
    let state: 'ended' | 'failed' = 'ended';
    try {
      await this.holder.letGo();
    } catch (error) {
      state = 'failed';
      this.log.warn({ err: error }, 'a share of the work could not be released, trying again');
    }
    for (const partition of partitions.filter((one) => this.leaving.get(one) === 'ending')) {
      // What was lost meanwhile cannot be given back.
      if (state === 'ended' && !this.held.has(partition)) this.leaving.delete(partition);
      else this.leaving.set(partition, state);
    }
  }

  private leavingAs(wanted: 'failed' | 'ended'): readonly string[] {
    return [...this.leaving].flatMap(([partition, state]) => (state === wanted ? [partition] : []));
  }

  private async deadIn(found: Leases): Promise<ReadonlySet<string>> {
    const holders = new Set([...found.values()].flatMap(({ holder }) => holder ?? []));
    holders.delete(this.name);
    const dead = await Promise.all(
      [...holders].map(async (name) => ((await this.neighbours.hasDied(name)) ? [name] : [])),
    );
    return new Set(dead.flat());
  }

  private livingIn(found: Leases, dead: ReadonlySet<string>): readonly string[] {
    const others = [...found].filter(([name, { holder }]) => name.startsWith('m') && !this.isGone(name, holder, dead));
    return [...new Set([this.name, ...others.flatMap(([, { holder }]) => holder ?? [])])];
  }

  /** An instance that is gone; its name is never used again. */
  private isGone(name: string, holder: string | null, dead: ReadonlySet<string>): boolean {
    if (!name.startsWith('m') || holder === this.name) return false;
    return holder === null || dead.has(holder) || this.loop.isSilent(name);
  }

  private mayHave(partition: string, found: Leases, dead: ReadonlySet<string>): boolean {
    if (this.held.has(partition) || this.leaving.has(partition)) return false;
    const holder = found.get(partition)?.holder ?? null;
    return holder === null || dead.has(holder) || this.loop.isSilent(partition);
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
}
