import { RecentlyUsed } from '../../kernel/recently-used';
import { type Position } from './event-store.port';

/** A stream folded up to a version. States are immutable, so they may be shared. */
export type Folded<State> = Readonly<{
  state: State;
  version: number;
  position: Position;
  /** Of the newest event in it, the one that made it what it is; null for a stream that does not exist. */
  eventId: string | null;
}>;

export type Cacheable<State> = Readonly<{ initial: State; kept?: number }>;

/** One cache per kind of fold: two readers may make different things of the same stream. */
export class FoldCaches {
  private readonly caches = new WeakMap<object, object>();

  of<State>(fold: Cacheable<State>): FoldCache<State> {
    const known = this.caches.get(fold) ?? new FoldCache<State>(fold.kept);
    this.caches.set(fold, known);
    return known as FoldCache<State>;
  }
}

/** The most recently used folds; forgetting one costs a longer read, never a wrong answer. */
export class FoldCache<State> {
  private readonly folds: RecentlyUsed<string, Folded<State>>;

  constructor(capacity = 20_000) {
    this.folds = new RecentlyUsed(capacity);
  }

  get(stream: string): Folded<State> | undefined {
    return this.folds.get(stream);
  }

  /** Never replaces a newer fold: two callers may have read at different times. */
  put(stream: string, folded: Folded<State>): void {
    if (folded.version === 0) return;
    const known = this.folds.get(stream);
    if (known !== undefined && known.version >= folded.version) return;
    this.folds.set(stream, folded);
  }
}
