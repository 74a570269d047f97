import { type RecordedEvent } from '../../../platform/event-store/event-store.port';

/** Something wrong: which invariant is broken, where, and how. */
export type Finding = Readonly<{ invariant: string; where: string; event_id: string | null; what: string }>;

const MAX_KEPT_PER_INVARIANT = 1_000;

/** The first thousand findings of one invariant, and their total number. */
export type Found = Readonly<{ kept: readonly Finding[]; count: number }>;

/**
 * Keeps the first thousand findings of each invariant and counts all of them: a log that is wrong everywhere must not
 * fill the memory, and an invariant that is broken everywhere must not hide another.
 */
export class Findings {
  private readonly found = new Map<string, { kept: Finding[]; count: number }>();

  get count(): number {
    return [...this.found.values()].reduce((sum, { count }) => sum + count, 0);
  }

  get kept(): readonly Finding[] {
    return [...this.found.values()].flatMap(({ kept }) => kept);
  }

  of(invariant: string): Found {
    return this.found.get(invariant) ?? { kept: [], count: 0 };
  }

  add(invariant: string, where: string, what: string, event?: RecordedEvent): void {
    const found = this.found.get(invariant) ?? { kept: [], count: 0 };
    this.found.set(invariant, found);
    found.count += 1;
    if (found.count > MAX_KEPT_PER_INVARIANT) return;
    found.kept.push({ invariant, where, event_id: event?.metadata.event_id ?? null, what });
  }

  event(invariant: string, event: RecordedEvent, what: string): void {
    this.add(invariant, `${event.stream} ${event.version}`, what, event);
  }
}
