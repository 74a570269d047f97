import { type RecordedEvent } from '../event-store/event-store.port';

/** The age of the oldest event that reads do not show yet. */
export class Lag {
  /** When each event that has arrived but is not shown yet occurred, in log order. */
  private waiting: number[] = [];
  /** Set until the initial backlog has arrived: the time of its latest event, an estimate for those still to come. */
  private catchingUp: number | undefined;

  /** What had arrived and was not shown will arrive again: a lag does not shrink because following starts over. */
  begin(now: Date): void {
    this.catchingUp = this.waiting[0] ?? this.catchingUp ?? now.getTime();
    this.waiting = [];
  }

  /** The subscription is lost: events from now on are not shown until it has caught up again. */
  lost(now: Date): void {
    this.catchingUp ??= now.getTime();
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

  /** How many events have arrived but are not shown yet. */
  get pending(): number {
    return this.waiting.length;
  }

  seconds(now: Date): number {
    const since = this.waiting[0] ?? this.catchingUp;
    return since === undefined ? 0 : Math.max(0, (now.getTime() - since) / 1000);
  }
}
