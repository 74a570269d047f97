import { type RecordedEvent } from '../event-store.port';

const KEPT = 1_024;

/** The newest events as they were decoded: every subscription reads them, and one check of the checksum serves all. */
export class RecentEvents {
  private readonly events = new Map<number, RecordedEvent>();

  /** The run that follows the position without a gap, as far as it is known. */
  after(position: number, limit: number): RecordedEvent[] {
    const found: RecordedEvent[] = [];
    for (let next = position + 1; found.length < limit; next += 1) {
      const event = this.events.get(next);
      if (event === undefined) break;
      found.push(event);
    }
    return found;
  }

  /** Only what was read after its commit: a place in the log that failed to be written may be another event's later. */
  add(position: number, event: RecordedEvent): void {
    this.events.set(position, event);
    if (this.events.size > KEPT) this.events.delete(this.events.keys().next().value as number);
  }
}
