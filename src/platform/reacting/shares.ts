import { type Lease, type LeaseChange, type Leases, type SharedLeases } from '../read-model/read-model.port';
import { type Clocks, LeaseLoop, type LeaseLog, POLL_INTERVAL_MS, type Moment, RENEW_INTERVAL_MS } from './lease-loop';
import { changeOf, memberOf } from './lease-changes';
import { type Neighbours } from './neighbours';
import { ownerOf, partitionOf, PARTITIONS } from './partitions';

/** Notified when the share changes. */
export type ShareHolder = Readonly<{
  /** There is more to do than before. */
  gained(): void;
  /** Ends the work that `keeps` no longer allows; resolves when all of it is recorded. */
  release(): Promise<void>;
}>;

const noHolder: ShareHolder = { gained: () => undefined, release: () => Promise.resolve() };

/**
 * Divides work among the instances: ids are hashed into partitions, and each partition has a lease, kept like the one
 * on the background work (see Leadership) by its holder's clock alone. Instances announce themselves; rendezvous
 * hashing assigns each partition to one of them, so that all agree without communicating. An instance that holds
 * another's partition finishes its work in order and releases it; one that stops renewing loses it.
 */
export class Shares {
  private held = new Map<string, Lease>();
  /**
   * Partitions of other instances, by assignment or because one took over: work on them is ending; failed to end, to be
   * retried at the next poll; or ended, to be released then. A lost one is not retaken before its work here ended.
   */
  private readonly leaving = new Map<string, 'ending' | 'failed' | 'ended'>();
  private holder: ShareHolder = noHolder;
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

  /** Only valid right now: the work may be done and recorded here. */
  holds(id: string): boolean {
    return this.mayHold(id) && (this.leases === undefined || this.loop.isFresh());
  }

  /** Held and not being released: new work may be started here. */
  keeps(id: string): boolean {
    return this.holds(id) && !this.isLeaving(id);
  }

  /** As of the last poll: after a stall only the next poll shows whether another instance holds it by now. */
  mayHold(id: string): boolean {
    return this.leases === undefined ? this.mayTake : this.held.has(partitionOf(id));
  }

  /** Held by another instance, or being released to one; a stall of this instance alone does not change that. */
  isLeaving(id: string): boolean {
    return !this.mayHold(id) || this.leaving.has(partitionOf(id));
  }

  /** How many partitions this process holds now: all of them if there is no other, whichever of its threads has the work. */
  get size(): number {
    if (this.leases === undefined) return PARTITIONS.length;
    return this.loop.isFresh() ? this.held.size : 0;
  }

  /** Polls once, and then several times a second in the background. Can be called again after a stop. */
  async start(holder: ShareHolder): Promise<void> {
    const { leases } = this;
    if (leases === undefined || !this.mayTake || this.loop.isRunning) return;
    this.holder = holder;
    await this.loop.start(
      () => this.poll(leases),
      () => (this.alone === undefined ? POLL_INTERVAL_MS : RENEW_INTERVAL_MS),
    );
  }

  /** Releases everything; the work on it must have ended. */
  async stop(): Promise<void> {
    const { leases } = this;
    if (leases === undefined || !this.loop.isRunning) return;
    const isFresh = await this.loop.stop();
    this.holder = noHolder;
    // If that fails, others take over after the timeout.
    if (isFresh) await this.releaseAll(leases).catch(() => undefined);
    this.held.clear();
    this.leaving.clear();
    this.alone = undefined;
  }

  /** One poll: finds the living instances, renews, takes free partitions of its own share, releases those of others. */
  async poll(leases: SharedLeases): Promise<void> {
    const wasFresh = this.loop.isFresh();
    const heldBefore = new Set(this.held.keys());
    const found = (await this.renewAlone(leases)) ?? (await leases.read());
    this.note(found);
    const dead = await this.deadIn(found);
    const living = this.livingIn(found, dead);
    const wanted = this.ownShareAmong(living);
    const before = this.loop.now();
    const taken = PARTITIONS.filter((partition) => wanted.has(partition) && this.isFree(partition, found, dead));
    const ended = this.leavingAs('ended');
    const gone = [...found].filter(([name, { holder }]) => this.isGone(name, holder, dead));
    const hasNews = taken.length > 0 || ended.length > 0 || gone.length > 0;
    let left = found;
    if (hasNews || this.loop.isDue()) {
      const changes = [
        ...this.renewals(found, ended),
        ...taken.map((partition) => changeOf(found, partition, this.name)),
        ...ended.map((partition) => changeOf(found, partition, null)),
        ...gone.map(([name, seen]) => ({ name, seen, next: undefined })),
      ];
      left = (await this.write(leases, changes, before)) ?? (await this.renew(leases)) ?? found;
    }
    this.adjust(wanted);
    const hasAll = this.held.size === PARTITIONS.length && this.leaving.size === 0;
    this.alone = living.length === 1 && hasAll ? left : undefined;
    const hasMore = [...this.held.keys()].some((one) => !heldBefore.has(one)) || (!wasFresh && this.held.size > 0);
    if (hasMore && this.loop.isFresh()) this.holder.gained();
  }

  /** When alone, one command instead of two: the result of the renewal shows whether another instance has appeared. */
  private async renewAlone(leases: SharedLeases): Promise<Leases | undefined> {
    const found = this.alone;
    this.alone = undefined;
    if (found === undefined) return undefined;
    return this.write(leases, this.renewals(found, []), this.loop.now());
  }

  /** Renews what it holds, even though another instance was quicker to take a partition that this one wanted. */
  private async renew(leases: SharedLeases): Promise<Leases | undefined> {
    const before = this.loop.now();
    const found = await leases.read();
    this.note(found);
    return this.write(leases, this.renewals(found, []), before);
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

  private renewals(found: Leases, ended: readonly string[]): readonly LeaseChange[] {
    const kept = [...this.held.keys()].filter((partition) => !ended.includes(partition));
    return [memberOf(this.name), ...kept].map((name) => changeOf(found, name, this.name));
  }

  /** Records what changed since the last poll, and which of our partitions are another's by now. */
  private note(found: Leases): void {
    for (const [name, lease] of found) {
      this.loop.note(name, lease);
      // The response to one of our own writes was lost: this lease is ours.
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
    void this.endWorkOn(lost);
  }

  /** Starts to end work on other instances' partitions; one that became ours again meanwhile is still released. */
  private adjust(wanted: ReadonlySet<string>): void {
    const leaving = [...this.held.keys()].filter((partition) => !wanted.has(partition) && !this.leaving.has(partition));
    const again = this.leavingAs('failed');
    if (leaving.length + again.length > 0) void this.endWorkOn([...leaving, ...again]);
  }

  /** Never rejects: nobody awaits it. */
  private async endWorkOn(partitions: readonly string[]): Promise<void> {
    for (const partition of partitions) this.leaving.set(partition, 'ending');
    let state: 'ended' | 'failed' = 'ended';
    try {
      await this.holder.release();
    } catch (error) {
      state = 'failed';
      this.log.warn({ err: error }, 'a share of the work could not be released, trying again');
    }
    for (const partition of partitions.filter((one) => this.leaving.get(one) === 'ending')) {
      // What was lost meanwhile cannot be released.
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

  /** Whether an instance is gone. Its name is never reused. */
  private isGone(name: string, holder: string | null, dead: ReadonlySet<string>): boolean {
    if (!name.startsWith('m') || holder === this.name) return false;
    return holder === null || dead.has(holder) || this.loop.isSilent(name);
  }

  private isFree(partition: string, found: Leases, dead: ReadonlySet<string>): boolean {
    if (this.held.has(partition) || this.leaving.has(partition)) return false;
    const holder = found.get(partition)?.holder ?? null;
    return holder === null || dead.has(holder) || this.loop.isSilent(partition);
  }

  private ownShareAmong(living: readonly string[]): ReadonlySet<string> {
    return new Set(PARTITIONS.filter((partition) => ownerOf(partition, living) === this.name));
  }

  private async releaseAll(leases: SharedLeases): Promise<void> {
    const found = await leases.read();
    const own = [...found].filter(([name, { holder }]) => holder === this.name && !name.startsWith('m'));
    const member = { name: memberOf(this.name), seen: found.get(memberOf(this.name)), next: undefined };
    await leases.replace([...own.map(([name]) => changeOf(found, name, null)), member]);
  }
}
