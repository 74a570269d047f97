import { type RecordedEvent } from '../event-store.port';

const CAPACITY = 1_024;

/** A cache of the newest events, already decoded, so that no subscription decodes them again. */
export class RecentEvents {
  /** A ring buffer: each event replaces the one CAPACITY positions before it. */
  private readonly events: (RecordedEvent | undefined)[] = new Array<undefined>(CAPACITY).fill(undefined);

  at(position: number): RecordedEvent | undefined {
    const event = this.events[position % CAPACITY];
    return event !== undefined && Number(event.position) === position ? event : undefined;
  }

  /** The cached events that follow the position without a gap. */
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
    const place = position % CAPACITY;
    // A reader that replays the log from far back must not evict what the others are about to read.
    if ((this.events[place]?.position ?? 0n) < event.position) this.events[place] = event;
  }
}
