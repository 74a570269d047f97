import { type Clock } from '../../src/kernel/clock';

/** Real time plus whatever a test has skipped. */
export class MovingClock implements Clock {
  private skipped = 0;

  now(): Date {
    return new Date(Date.now() + this.skipped);
  }

  /** Never moves backwards. */
  moveTo(time: string): void {
    this.skipped += Math.max(0, Date.parse(time) - this.now().getTime());
  }

  skip(milliseconds: number): void {
    this.skipped += milliseconds;
  }
}
