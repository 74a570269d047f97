import { randomUUID } from 'node:crypto';
import { pause } from '../../kernel/pause';
import { type Neighbours, noNeighbours } from './neighbours';
import { type Lease, type SharedLease } from '../read-model/read-model.port';

export type LeadershipLog = Readonly<{
  info: (fields: object, message: string) => void;
  warn: (fields: object, message: string) => void;
}>;

/** Milliseconds on two clocks: `steady` is never set, `wall` also counts the time a machine sleeps. */
export type Clocks = Readonly<{ steady(): number; wall(): number }>;

export const systemClocks: Clocks = { steady: () => performance.now(), wall: () => Date.now() };

const SHOW_LIFE_EVERY_MS = 400;
const LOOK_EVERY_MS = 200;
/** A holder believes in its lease for so long after it last showed life, counted from before it did. */
export const LEADS_FOR_MS = 2_000;
/** Others wait for so long after they last saw a new sign of life. The difference is what a holder may be late by. */
export const SILENT_FOR_MS = 2_500;

type Moment = Readonly<{ steady: number; wall: number }>;

/**
 * Whether this instance does the background work. Of all instances on one read store at most one does: the holder of the
 * lease shows life every 0.4 seconds, and who has seen none for 2.5, by its own clock, takes it; or at once, where
 * the holder ran on this machine and is known to be dead. A holder that was paused or cut off knows by its own clock alone
 * that it is too late, before it does anything else.
 */
export class Leadership {
  readonly name = randomUUID();
  private held: Lease | undefined;
  private renewedAt: Moment | undefined;
  private seen: Readonly<{ lease: Lease; at: number }> | undefined;
  /** When another holder last showed life before our eyes. */
  private livedAt = -Infinity;
  private readonly stopping = new AbortController();
  private looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly lease: SharedLease | undefined,
    private readonly log: LeadershipLog,
    private readonly clocks: Clocks = systemClocks,
    private readonly neighbours: Neighbours = noNeighbours,
    /** False for one that only wants to know whether somebody leads. */
    private readonly mayLead = true,
  ) {}

  /** True at this very moment; nothing said before counts. */
  leads(): boolean {
    if (this.lease === undefined) return true;
    if (this.renewedAt === undefined) return false;
    const { steady, wall } = this.now();
    return Math.max(steady - this.renewedAt.steady, wall - this.renewedAt.wall) < LEADS_FOR_MS;
  }

  /** Whether anyone does the work: without that nobody reads what they wrote. */
  someoneLeads(): boolean {
    return this.leads() || this.clocks.steady() - this.livedAt < SILENT_FOR_MS;
  }

  /** Looks once, and then several times a second in the background. */
  async start(): Promise<void> {
    const { lease } = this;
    if (lease === undefined) return;
    if (this.mayLead) await this.neighbours.join(this.name);
    await this.lookOrWarn(lease);
    this.looking = this.keepLooking(lease);
  }

  /** Gives the lease away, so that another takes it at its next look. Whatever it stands for must have ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.looking;
    this.renewedAt = undefined;
    // If that fails, the others find out by the silence.
    if (this.held)
      await this.lease?.replace(this.held, { holder: null, beat: this.held.beat + 1 }).catch(() => undefined);
    this.held = undefined;
    await this.neighbours.leave();
  }

  /** One look: shows life, or finds out whether somebody does. */
  async look(lease: SharedLease): Promise<void> {
    if (this.held !== undefined && (await this.take(lease, this.held))) return;
    const found = await lease.read();
    if (!this.mayLead) return void this.isSilent(found);
    // An answer to one of our own writes was lost: what is there is ours.
    if (found.holder === this.name) return void (await this.take(lease, found));
    this.lose();
    if (found.holder === null || this.isSilent(found) || (await this.neighbours.hasDied(found.holder)))
      await this.take(lease, found);
  }

  private async take(lease: SharedLease, found: Lease): Promise<boolean> {
    const before = this.now();
    const next = { holder: this.name, beat: found.beat + 1 };
    if (!(await lease.replace(found, next))) return false;
    if (this.held === undefined) this.log.info({ instance: this.name }, 'this instance does the background work');
    this.held = next;
    this.renewedAt = before;
    this.seen = undefined;
    return true;
  }

  private lose(): void {
    if (this.held === undefined) return;
    this.held = undefined;
    this.renewedAt = undefined;
    this.log.warn({ instance: this.name }, 'another instance has taken over the background work');
  }

  private isSilent(found: Lease): boolean {
    const { steady } = this.now();
    const { seen } = this;
    if (seen === undefined || seen.lease.holder !== found.holder || seen.lease.beat !== found.beat) {
      if (seen !== undefined) this.livedAt = steady;
      this.seen = { lease: found, at: steady };
      return false;
    }
    return steady - seen.at >= SILENT_FOR_MS;
  }

  private async keepLooking(lease: SharedLease): Promise<void> {
    const { signal } = this.stopping;
    for (let begun = this.clocks.steady(); ;) {
      const every = this.held === undefined ? LOOK_EVERY_MS : SHOW_LIFE_EVERY_MS;
      // From one beginning to the next: a look that took long makes the next one no later.
      await pause(Math.max(0, every - (this.clocks.steady() - begun)), signal);
      if (signal.aborted) return;
      begun = this.clocks.steady();
      await this.lookOrWarn(lease);
    }
  }

  private async lookOrWarn(lease: SharedLease): Promise<void> {
    try {
      await this.look(lease);
    } catch (error) {
      this.log.warn({ err: error }, 'the lease on the background work could not be looked at');
    }
  }

  private now(): Moment {
    return { steady: this.clocks.steady(), wall: this.clocks.wall() };
  }
}
