import { type RecordedEvent } from '../event-store/event-store.port';

/** How old the oldest event is that reads do not show yet. */
export class Lag {
  /** When each event happened that has arrived and is not shown, in the order of the log. */
  private waiting: number[] = [];
  /** Until all that was there at the beginning has arrived: the age of what came last stands for what is still to come. */
  private catchingUp: number | undefined;

  begin(now: Date): void {
    this.waiting = [];
    this.catchingUp = now.getTime();
  }

  caughtUp(): void {
    this.catchingUp = undefined;
  }

  arrived({ metadata }: RecordedEvent): void {
    const happened = Date.parse(metadata.occurred_at);
    this.waiting.push(happened);
    if (this.catchingUp !== undefined) this.catchingUp = happened;
  }

  shown(count: number): void {
    this.waiting.splice(0, count);
  }

  /** How many have arrived and are not shown. */
  get pending(): number {
    return this.waiting.length;
  }

  seconds(now: Date): number {
    const since = this.waiting[0] ?? this.catchingUp;
    return since === undefined ? 0 : Math.max(0, (now.getTime() - since) / 1000);
  }
}
