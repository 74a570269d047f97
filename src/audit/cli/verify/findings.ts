import { type RecordedEvent } from '../../../platform/event-store/event-store.port';

/** Something wrong: which invariant is broken, where, and how. */
export type Finding = Readonly<{ invariant: string; where: string; event_id: string | null; what: string }>;

const MOST_KEPT = 1_000;

/** Keeps the first thousand and counts all of them: a log that is wrong everywhere must not fill the memory. */
export class Findings {
  readonly kept: Finding[] = [];
  count = 0;

  add(invariant: string, where: string, what: string, event?: RecordedEvent): void {
    this.count += 1;
    if (this.kept.length < MOST_KEPT) {
      this.kept.push({ invariant, where, event_id: event?.metadata.event_id ?? null, what });
    }
  }

  event(invariant: string, event: RecordedEvent, what: string): void {
    this.add(invariant, `${event.stream} ${event.version}`, what, event);
  }
}
