import { type DomainEvent, type Fold } from '../../kernel/decider';
import { type EventStore, LOG_START, type Position } from './event-store.port';
import { FoldCaches, type Folded, NO_RUN } from './fold-cache';
import { LogFollower } from './log-follower';

/** A few milliseconds of work: the longest that reading a stream may block the event loop at a time. */
const PAGE_SIZE = 100;

/** Reads streams folded up to the end of the log; what is cached is not read again. */
export class FoldReader {
  private readonly caches = new FoldCaches();
  /** Only for a remote store: a read from a store in this process takes less time than following it. */
  readonly follower: LogFollower | undefined;
  /** Long reads in flight, by fold: later callers wait for one instead of repeating it. */
  private readonly longReads = new WeakMap<object, Map<string, Promise<unknown>>>();

  constructor(private readonly store: EventStore) {
    this.follower = store.isRemote ? new LogFollower(store, this.caches) : undefined;
  }

  /** May be stale. */
  known<State, Event extends DomainEvent>(fold: Fold<State, Event>, stream: string): Folded<State> | undefined {
    return this.caches.of(fold).get(stream);
  }

  keep<State, Event extends DomainEvent>(fold: Fold<State, Event>, stream: string, folded: Folded<State>): void {
    this.caches.of(fold).put(stream, folded);
  }

  /** Runs `work`, which yields the newest fold of a stream, and caches that fold. */
  async caching<State, Event extends DomainEvent, Result extends Folded<State>>(
    fold: Fold<State, Event>,
    stream: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { follower } = this;
    const watch = follower?.watch(stream);
    let version = 0;
    let found: Result | undefined;
    try {
      found = await work();
      version = found.version;
      return found;
    } finally {
      const run = follower && watch ? follower.end(watch, version) : NO_RUN;
      if (found !== undefined) {
        const { state, position, eventId } = found;
        this.caches.of(fold).put(stream, { state, version, position, eventId }, run);
      }
    }
  }

  /** Includes everything that was in the log before the call or, if given, before `moment`. */
  async newest<State, Event extends DomainEvent>(
    fold: Fold<State, Event>,
    stream: string,
    moment?: Position,
  ): Promise<Folded<State>> {
    return (await this.cachedIfCurrent(fold, stream, moment)) ?? this.read(fold, stream);
  }

  /** The cached fold, once the follower has caught up with the log. */
  private async cachedIfCurrent<State, Event extends DomainEvent>(
    fold: Fold<State, Event>,
    stream: string,
    moment?: Position,
  ): Promise<Folded<State> | undefined> {
    const { follower } = this;
    if (follower === undefined) return undefined;
    const cache = this.caches.of(fold);
    if (cache.currentIn(follower.current, stream) === undefined) return undefined;
    const until = moment ?? (await follower.moment());
    if (until === undefined || !(await follower.hasPassed(until))) return undefined;
    return cache.currentIn(follower.current, stream);
  }

  /**
   * The same, always read from the stream. For commands, which queue per stream: each would wait for its own lookup,
   * and a lookup takes as long as a read.
   */
  read<State, Event extends DomainEvent>(fold: Fold<State, Event>, stream: string): Promise<Folded<State>> {
    return this.caching(fold, stream, () => this.readOn(fold, stream));
  }

  private async readOn<State, Event extends DomainEvent>(
    fold: Fold<State, Event>,
    stream: string,
  ): Promise<Folded<State>> {
    const reads = this.readsOf(fold);
    for (;;) {
      // The caller that started the read gets its failure; what was written since its last page still has to be read.
      await reads.get(stream)?.catch(() => undefined);
      const known = this.known(fold, stream) ?? emptyFold(fold);
      const { folded, more } = await this.onePage(fold, stream, known);
      if (!more) return folded;
      if (reads.has(stream)) continue;
      const reading = this.toTheEnd(fold, stream, folded).finally(() => reads.delete(stream));
      reads.set(stream, reading);
      return reading;
    }
  }

  private async toTheEnd<State, Event extends DomainEvent>(
    fold: Fold<State, Event>,
    stream: string,
    from: Folded<State>,
  ): Promise<Folded<State>> {
    for (let known = from; ;) {
      // Reading may never yield; without this, nothing else would run before the end of the stream.
      await new Promise(setImmediate);
      const { folded, more } = await this.onePage(fold, stream, known);
      if (!more) return folded;
      known = folded;
    }
  }

  private async onePage<State, Event extends DomainEvent>(
    fold: Fold<State, Event>,
    stream: string,
    known: Folded<State>,
  ): Promise<Readonly<{ folded: Folded<State>; more: boolean }>> {
    const page = await this.store.readStream(stream, known.version, PAGE_SIZE);
    const last = page.at(-1);
    if (last === undefined) return { folded: known, more: false };
    const state = page.reduce((before, event) => fold.evolve(before, event as unknown as Event), known.state);
    const folded = { state, version: last.version, position: last.position, eventId: last.metadata.event_id };
    this.keep(fold, stream, folded);
    return { folded, more: page.length === PAGE_SIZE };
  }

  private readsOf(fold: object): Map<string, Promise<unknown>> {
    const reads = this.longReads.get(fold) ?? new Map<string, Promise<unknown>>();
    this.longReads.set(fold, reads);
    return reads;
  }
}

/** A stream that does not exist. */
export const emptyFold = <State, Event extends DomainEvent>({ initial }: Fold<State, Event>): Folded<State> => ({
  state: initial,
  version: 0,
  position: LOG_START,
  eventId: null,
});
