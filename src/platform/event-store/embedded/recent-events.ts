import { type RecordedEvent } from '../event-store.port';

const KEPT = 1_024;

/** The newest events as they were written or decoded: every subscription reads them, and none decodes them again. */
export class RecentEvents {
  /** Each position has its slot, where it replaces the position KEPT before it. */
  private readonly events: (RecordedEvent | undefined)[] = new Array<undefined>(KEPT).fill(undefined);

  at(position: number): RecordedEvent | undefined {
    const event = this.events[position % KEPT];
    return event !== undefined && Number(event.position) === position ? event : undefined;
  }

  /** The events that follow the position without a gap, as far as they are kept. */
  after(position: number, limit: number): RecordedEvent[] {
    const found: RecordedEvent[] = [];
    for (let next = position + 1; found.length < limit; next += 1) {
      const event = this.at(next);
      if (event === undefined) break;
      found.push(event);
    }
    return found;
  }

  /** Only after the commit: if the write fails, another event may take its position. */
  add(position: number, event: RecordedEvent): void {
    const place = position % KEPT;
    // A reader that replays the log from far back must not evict what the others are about to read.
    if ((this.events[place]?.position ?? 0n) < event.position) this.events[place] = event;
  }
}
