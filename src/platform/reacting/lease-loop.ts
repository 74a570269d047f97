import { pause } from '../../kernel/pause';
import { roughPause } from '../../kernel/rough-pause';
import { type Lease } from '../read-model/read-model.port';

export type LeaseLog = Readonly<{
  info: (fields: object, message: string) => void;
  warn: (fields: object, message: string) => void;
}>;

/** Milliseconds on two clocks: `steady` is monotonic, `wall` also counts the time a machine sleeps. */
export type Clocks = Readonly<{ steady(): number; wall(): number }>;

export const systemClocks: Clocks = { steady: () => performance.now(), wall: () => Date.now() };

export const RENEW_INTERVAL_MS = 500;
export const POLL_INTERVAL_MS = 200;
/** How long a holder trusts its lease after it last renewed it, counted from before the renewal. */
export const LEASE_VALID_MS = 2_000;
/** How long others wait after the last renewal they saw. The difference to LEASE_VALID_MS is the safety margin. */
export const TAKEOVER_AFTER_MS = 2_500;

export type Moment = Readonly<{ steady: number; wall: number }>;

/**
 * Keeps one or more leases, relying only on this instance's own clocks: tracks when it last renewed and when it last
 * saw others renew, and keeps polling even if a poll fails.
 */
export class LeaseLoop {
  private renewedAt: Moment | undefined;
  /** Each lease as it was when it was last seen to change. */
  private readonly seen = new Map<string, Readonly<{ lease: Lease; at: number }>>();
  private stopping: AbortController | undefined;
  private polling: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: LeaseLog,
    private readonly clocks: Clocks,
    /** What is logged when a poll fails. */
    private readonly failureMessage: string,
  ) {}

  now(): Moment {
    return { steady: this.clocks.steady(), wall: this.clocks.wall() };
  }

  /** Only valid right now: no other instance can hold what was renewed, however long this one was stalled. */
  isFresh(): boolean {
    if (this.renewedAt === undefined) return false;
    const { steady, wall } = this.now();
    return Math.max(steady - this.renewedAt.steady, wall - this.renewedAt.wall) < LEASE_VALID_MS;
  }

  /** A renewal that was begun at that moment has succeeded. */
  renewed(before: Moment): void {
    this.renewedAt = before;
  }

  lapse(): void {
    this.renewedAt = undefined;
  }

  isDue(): boolean {
    return this.clocks.steady() - (this.renewedAt?.steady ?? -Infinity) >= RENEW_INTERVAL_MS;
  }

  /** Records what was found, and says whether it changed since it was last found. */
  note(name: string, lease: Lease): 'new' | 'changed' | 'same' {
    const before = this.seen.get(name)?.lease;
    if (before?.holder === lease.holder && before.beat === lease.beat) return 'same';
    this.seen.set(name, { lease, at: this.clocks.steady() });
    return before === undefined ? 'new' : 'changed';
  }

  forget(name: string): void {
    this.seen.delete(name);
  }

  forgetAllBut(names: Readonly<{ has(name: string): boolean }>): void {
    for (const name of this.seen.keys()) if (!names.has(name)) this.forget(name);
  }

  /** Whether its holder has been silent for so long that others may take it. */
  isSilent(name: string): boolean {
    return this.clocks.steady() - (this.seen.get(name)?.at ?? Infinity) >= TAKEOVER_AFTER_MS;
  }

  get isRunning(): boolean {
    return this.stopping !== undefined;
  }

  /** Polls once, and then in the background. Can be called again after a stop. */
  async start(poll: () => Promise<void>, every: () => number): Promise<void> {
    if (this.stopping !== undefined) return;
    const stopping = new AbortController();
    this.stopping = stopping;
    const begun = this.clocks.steady();
    const first = this.pollOrWarn(poll);
    // A stop during the first poll waits for it, too.
    this.polling = first.then(() => this.keepPolling(poll, every, begun, stopping.signal));
    await first;
  }

  /**
   * After this nothing counts as held. Returns true if the leases were still held. If not, the store has not answered
   * for a while, or others may hold them by now: others take over after the timeout anyway, and releasing the leases
   * would only wait for the store again.
   */
  async stop(): Promise<boolean> {
    this.stopping?.abort();
    this.stopping = undefined;
    await this.polling;
    const wasFresh = this.isFresh();
    this.lapse();
    return wasFresh;
  }

  private async keepPolling(
    poll: () => Promise<void>,
    every: () => number,
    first: number,
    signal: AbortSignal,
  ): Promise<void> {
    for (let begun = first; ;) {
      // Measured from start to start: a slow poll does not delay the next one.
      const wait = Math.max(0, every() - (this.clocks.steady() - begun));
      await (wait < RENEW_INTERVAL_MS / 2 ? pause(wait, signal) : roughPause(wait, signal));
      if (signal.aborted) return;
      begun = this.clocks.steady();
      await this.pollOrWarn(poll);
    }
  }

  private async pollOrWarn(poll: () => Promise<void>): Promise<void> {
    try {
      await poll();
    } catch (error) {
      this.log.warn({ err: error }, this.failureMessage);
    }
  }
}
