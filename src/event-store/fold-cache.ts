import { type Position } from './event-store.port';

/** A stream folded up to a version. States are immutable, so they may be shared. */
export type Folded<State> = Readonly<{ state: State; version: number; position: Position }>;

/** One cache per kind of fold: two readers may make different things of the same stream. */
export class FoldCaches {
  private readonly caches = new WeakMap<object, object>();

  constructor(private readonly capacity?: number) {}

  of<State>(fold: { readonly initial: State }): FoldCache<State> {
    const known = this.caches.get(fold) ?? new FoldCache<State>(this.capacity);
    this.caches.set(fold, known);
    return known as FoldCache<State>;
  }
}

/** The most recently used folds; forgetting one costs a longer read, never a wrong answer. */
export class FoldCache<State> {
  private readonly folds = new Map<string, Folded<State>>();

  constructor(private readonly capacity = 20_000) {}

  get(stream: string): Folded<State> | undefined {
    const found = this.folds.get(stream);
    if (found === undefined) return undefined;
    this.folds.delete(stream);
    this.folds.set(stream, found);
    return found;
  }

  /** Never replaces a newer fold: two callers may have read at different times. */
  put(stream: string, folded: Folded<State>): void {
    if (folded.version === 0) return;
    const known = this.folds.get(stream);
    if (known !== undefined && known.version >= folded.version) return;
    this.folds.delete(stream);
    this.folds.set(stream, folded);
    if (this.folds.size > this.capacity) this.folds.delete(this.folds.keys().next().value as string);
  }
}
