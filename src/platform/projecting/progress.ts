import { LOG_START, type Position, StoreUnavailable } from '../event-store/event-store.port';

type Waiter = Readonly<{ position: Position; until: number; resolve: () => void; reject: (reason: Error) => void }>;

const LOOK_MS = 250;
/** In sweeps, not by the clock: while the process was suspended it could not see that the position was reached. */
const PATIENCE = 5_000 / LOOK_MS;

/** How far the read model has come and who waits for it: this is how a caller reads its own writes. */
export class Progress {
  private reached: Position = LOG_START;
  private passedOver: Readonly<{ position: Position; behind: number }> | undefined;
  private waiters: Waiter[] = [];
  private sweep: NodeJS.Timeout | undefined;
  private looks = 0;

  get position(): Position {
    return this.reached;
  }

  /** Reads show `count` more of our events, the last of them at this position. */
  advance(position: Position, count = 0): void {
    if (position > this.reached) this.moveTo(position);
    this.countDown(count);
  }

  /** A foreign event passed, with `behind` of ours before it not shown yet: once they are, all up to it is shown. */
  passOver(position: Position, behind: number): void {
    this.passedOver = { position, behind };
    this.countDown(0);
  }

  /** Starts over: further back after a reset, or further on if another instance has written in the meantime. */
  restart(position: Position): void {
    this.passedOver = undefined;
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
    if (this.waiters.length === 0) return;
    const waiting = this.waiters;
    this.waiters = waiting.filter((waiter) => waiter.position > position);
    for (const waiter of waiting) if (waiter.position <= position) waiter.resolve();
  }

  /** What was written stays written when this times out: the caller may ask again. */
  passed(position: Position): Promise<void> {
    if (position <= this.reached) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.waiters.push({ position, until: this.looks + PATIENCE, resolve, reject });
      this.sweep ??= setInterval(() => this.giveUpOverdue(), LOOK_MS).unref();
    });
  }

  private giveUpOverdue(): void {
    this.looks += 1;
    const waiting = this.waiters;
    this.waiters = waiting.filter((waiter) => waiter.until > this.looks);
    for (const waiter of waiting) {
      if (waiter.until <= this.looks)
        waiter.reject(new StoreUnavailable('unknown', new Error('projections are behind')));
    }
    if (this.waiters.length === 0) {
      clearInterval(this.sweep);
      this.sweep = undefined;
    }
  }
}
