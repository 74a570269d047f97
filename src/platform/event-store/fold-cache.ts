import { type DomainEvent, type Fold } from '../../kernel/decider';
import { RecentlyUsed } from '../../kernel/recently-used';
import { type Position, type RecordedEvent } from './event-store.port';

/** A stream folded up to a version. States are immutable, so they may be shared. */
export type Folded<State> = Readonly<{
  state: State;
  version: number;
  position: Position;
  /** Id of the newest folded event; null if there is none or it is not known. */
  eventId: string | null;
}>;

/**
 * The follower run during which a fold has been kept current without a gap; 0 for none. While that run lasts, the fold
 * matches the stream as far as the follower has come.
 */
export type Run = number;
export const NO_RUN: Run = 0;

type Entry<State> = Readonly<{ folded: Folded<State>; run: Run }>;

/** One cache per fold: two readers may fold the same stream differently. */
export class FoldCaches {
  private readonly caches = new WeakMap<object, object>();
  /** Folds are created once, with the module that needs them, so there are only as many caches as folds. */
  private readonly byCategory = new Map<string, FoldCache<unknown>[]>();

  of<State, Event extends DomainEvent>(fold: Fold<State, Event>): FoldCache<State> {
    const known = this.caches.get(fold) as FoldCache<State> | undefined;
    if (known !== undefined) return known;
    const made = new FoldCache<State>(fold);
    this.caches.set(fold, made);
    const others = this.byCategory.get(fold.category) ?? [];
    this.byCategory.set(fold.category, [...others, made]);
    return made;
  }

  /** Applies an event, in log order, to the cached folds of its stream. */
  pass(event: RecordedEvent, run: Run): void {
    const category = event.stream.slice(0, event.stream.indexOf('-'));
    for (const cache of this.byCategory.get(category) ?? []) cache.pass(event, run);
  }
}

/** The most recently used folds; evicting one costs a longer read, never a wrong answer. */
export class FoldCache<State> {
  private readonly folds: RecentlyUsed<string, Entry<State>>;

  constructor(private readonly fold: Fold<State, DomainEvent>) {
    this.folds = new RecentlyUsed(fold.kept ?? 20_000);
  }

  get(stream: string): Folded<State> | undefined {
    return this.folds.get(stream)?.folded;
  }

  /** Only a fold that has been kept current since this run began. */
  currentIn(run: Run, stream: string): Folded<State> | undefined {
    const known = this.folds.get(stream);
    return known !== undefined && run !== NO_RUN && known.run === run ? known.folded : undefined;
  }

  /** Never replaces a newer fold: two callers may have read at different times. */
  put(stream: string, folded: Folded<State>, run: Run = NO_RUN): void {
    if (folded.version === 0) return;
    const known = this.folds.get(stream);
    if (known !== undefined && known.folded.version > folded.version) return;
    if (known !== undefined && known.folded.version === folded.version && known.run >= run) return;
    this.folds.set(stream, { folded, run });
  }

  pass(event: RecordedEvent, run: Run): void {
    const known = this.folds.peek(event.stream)?.folded;
    if (known === undefined || known.version >= event.version) return;
    // An event is missing in between: a foreign one, or one that passed before this fold was cached. Read again when
    // needed.
    if (known.version !== event.version - 1) return this.folds.delete(event.stream);
    try {
      const state = this.fold.evolve(known.state, event);
      const { version, position, metadata } = event;
      this.folds.replace(event.stream, { folded: { state, version, position, eventId: metadata.event_id }, run });
    } catch {
      // A caller that reads the stream gets the same failure.
      this.folds.delete(event.stream);
    }
  }
}
