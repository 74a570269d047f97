import { LOG_START, type Position, StoreUnavailable } from '../event-store/event-store.port';

type Waiter = Readonly<{ position: Position; until: number; resolve: () => void; reject: (reason: Error) => void }>;

const SWEEP_INTERVAL_MS = 250;
/** Counted in sweeps, not by the clock: a suspended process cannot notice that the position was reached. */
const TIMEOUT_SWEEPS = 5_000 / SWEEP_INTERVAL_MS;

/** How far the read model has come, and who waits for it: this lets callers read their own writes. */
export class Progress {
  private reached: Position = LOG_START;
  private passedOver: Readonly<{ position: Position; behind: number }> | undefined;
  private waiters: Waiter[] = [];
  private sweep: NodeJS.Timeout | undefined;
  private sweeps = 0;
  private doubted = false;
  private refused = false;
  private hidden = true;

  /**
   * False until it starts, while others are changing what reads show, and while the log refuses a subscription from
   * where reads are: they may show another log's events.
   */
  get isTrusted(): boolean {
    return !this.doubted && !this.hidden;
  }

  /** Until it is trusted again no position counts as passed, not even one that was: the log may have gone back. */
  doubt(): void {
    this.doubted = true;
  }

  /** The log says that reads show events which it does not have. */
  refuse(): void {
    this.doubted = this.refused = true;
  }

  /** Whether reads that are to show everything up to this position may lack some of it, or show what is not there. */
  lacks(position: Position): boolean {
    return this.refused || this.hidden || this.reached < position;
  }

  /** Others are changing what reads show: until it starts over, no position counts as passed. */
  hide(): void {
    this.hidden = true;
  }

  trust(): void {
    if (!this.doubted) return;
    this.doubted = this.refused = false;
    this.moveTo(this.reached);
  }

  get position(): Position {
    return this.reached;
  }

  /** Reads show `count` more of our events, the last of them at this position. */
  advance(position: Position, count = 0): void {
    if (position > this.reached) this.moveTo(position);
    this.countDown(count);
  }

  /** Skips a foreign event: its position counts as reached once `behind` of our events before it are shown. */
  passOver(position: Position, behind: number): void {
    this.passedOver = { position, behind };
    this.countDown(0);
  }

  /** Starts over: further back after a reset, or further on if another instance has written in the meantime. */
  restart(position: Position): void {
    this.passedOver = undefined;
    this.hidden = false;
    this.moveTo(position);
  }

  private countDown(shown: number): void {
    if (this.passedOver === undefined) return;
    const { position, behind } = this.passedOver;
    this.passedOver = behind > shown ? { position, behind: behind - shown } : undefined;
    if (this.passedOver === undefined && position > this.reached) this.moveTo(position);
  }

  private moveTo(position: Position): void {
    this.reached = position;
    if (!this.isTrusted || this.waiters.length === 0) return;
    const waiting = this.waiters;
    this.waiters = waiting.filter((waiter) => waiter.position > position);
    for (const waiter of waiting) if (waiter.position <= position) waiter.resolve();
  }

  /** A timeout does not undo what was written: the caller may wait again. */
  passed(position: Position): Promise<void> {
    if (this.isTrusted && position <= this.reached) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.waiters.push({ position, until: this.sweeps + TIMEOUT_SWEEPS, resolve, reject });
      this.sweep ??= setInterval(() => this.rejectOverdue(), SWEEP_INTERVAL_MS).unref();
    });
  }

  private rejectOverdue(): void {
    this.sweeps += 1;
    const waiting = this.waiters;
    this.waiters = waiting.filter((waiter) => waiter.until > this.sweeps);
    for (const waiter of waiting) {
      if (waiter.until <= this.sweeps)
        waiter.reject(new StoreUnavailable('unknown', new Error('projections are behind')));
    }
    if (this.waiters.length === 0) {
      clearInterval(this.sweep);
      this.sweep = undefined;
    }
  }
}
