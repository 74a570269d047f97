import { randomUUID } from 'node:crypto';
import {
  type Clocks,
  LeaseLoop,
  type LeaseLog,
  POLL_INTERVAL_MS,
  RENEW_INTERVAL_MS,
  TAKEOVER_AFTER_MS,
  systemClocks,
} from './lease-loop';
import { type Neighbours, noNeighbours } from './neighbours';
import { type Lease, type SharedLease } from '../read-model/read-model.port';

const LEASE = 'lease';

/**
 * Whether this instance does the background work. Of all instances on one read store at most one does: the holder of
 * the lease renews it every 500 ms, and an instance that has seen no renewal for 2.5 s, by its own clock, takes it; or
 * at once, if the holder ran on this machine and is known to be dead. A holder that was paused or cut off knows by its
 * own clock alone that its lease has expired, before it does anything else.
 */
export class Leadership {
  readonly name = randomUUID();
  private held: Lease | undefined;
  /** When this instance last saw another holder renew. */
  private lastRenewalSeenAt = -Infinity;
  private readonly loop: LeaseLoop;

  constructor(
    private readonly lease: SharedLease | undefined,
    private readonly log: LeaseLog,
    private readonly clocks: Clocks = systemClocks,
    private readonly neighbours: Neighbours = noNeighbours,
    /** False for an instance that only wants to know whether any instance leads. */
    private readonly mayLead = true,
  ) {
    this.loop = new LeaseLoop(log, clocks, 'the lease on the background work could not be looked at');
  }

  /** Only valid right now: do not cache the result. */
  leads(): boolean {
    return this.lease === undefined || this.loop.isFresh();
  }

  /** Whether any instance does the work: without one, nobody can read their own writes. */
  someoneLeads(): boolean {
    return this.leads() || this.clocks.steady() - this.lastRenewalSeenAt < TAKEOVER_AFTER_MS;
  }

  /** Polls once, and then several times a second in the background. */
  async start(): Promise<void> {
    const { lease } = this;
    if (lease === undefined) return;
    if (this.mayLead) await this.neighbours.join(this.name);
    await this.loop.start(
      () => this.poll(lease),
      () => (this.held === undefined ? POLL_INTERVAL_MS : RENEW_INTERVAL_MS),
    );
  }

  /** Releases the lease, so that another instance takes it at its next poll. The work it covers must have ended. */
  async stop(): Promise<void> {
    const isFresh = await this.loop.stop();
    // If this fails, others take over after the timeout.
    if (this.held && isFresh)
      await this.lease?.replace(this.held, { holder: null, beat: this.held.beat + 1 }).catch(() => undefined);
    this.held = undefined;
    await this.neighbours.leave();
  }

  /** One poll: renews the lease, or finds out whether another instance does. */
  async poll(lease: SharedLease): Promise<void> {
    if (this.held !== undefined && (await this.take(lease, this.held))) return;
    const found = await lease.read();
    if (!this.mayLead) return void this.isSilent(found);
    // The response to one of our own writes was lost: this lease is ours.
    if (found.holder === this.name) return void (await this.take(lease, found));
    this.lose();
    if (found.holder === null || this.isSilent(found) || (await this.neighbours.hasDied(found.holder)))
      await this.take(lease, found);
  }

  private async take(lease: SharedLease, found: Lease): Promise<boolean> {
    const before = this.loop.now();
    const next = { holder: this.name, beat: found.beat + 1 };
    if (!(await lease.replace(found, next))) return false;
    if (this.held === undefined) this.log.info({ instance: this.name }, 'this instance does the background work');
    this.held = next;
    this.loop.renewed(before);
    this.loop.forget(LEASE);
    return true;
  }

  private lose(): void {
    if (this.held === undefined) return;
    this.held = undefined;
    this.loop.lapse();
    this.log.warn({ instance: this.name }, 'another instance has taken over the background work');
  }

  private isSilent(found: Lease): boolean {
    if (this.loop.note(LEASE, found) === 'changed') this.lastRenewalSeenAt = this.clocks.steady();
    return this.loop.isSilent(LEASE);
  }
}
