import { type DomainEvent, type Fold } from '../../kernel/decider';
import { type EventStore, LOG_START, type Position } from './event-store.port';
import { FoldCaches, type Folded, NO_RUN } from './fold-cache';
import { LogFollower } from './log-follower';

/** A few milliseconds of work: the longest a stream of any length may block everyone else at a time. */
const PAGE = 100;

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
  async keeping<State, Event extends DomainEvent, Result extends Folded<State>>(
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

  /** Lacks nothing that was in the log before the call; or, with a moment given, before that moment. */
  async newest<State, Event extends DomainEvent>(
    fold: Fold<State, Event>,
    stream: string,
    moment?: Position,
  ): Promise<Folded<State>> {
    return (await this.believed(fold, stream, moment)) ?? this.read(fold, stream);
  }

  /** The cached fold, once the follower has caught up with the log. */
  private async believed<State, Event extends DomainEvent>(
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
    return this.keeping(fold, stream, () => this.readOn(fold, stream));
  }

  private async readOn<State, Event extends DomainEvent>(
    fold: Fold<State, Event>,
    stream: string,
  ): Promise<Folded<State>> {
    const reads = this.readsOf(fold);
    for (;;) {
      // The caller that started the read gets its failure; what was written since its last page still has to be read.
      await reads.get(stream)?.catch(() => undefined);
      const known = this.known(fold, stream) ?? nothing(fold);
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
      // Reading may never yield, and then nothing else would run before the end.
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
    const page = await this.store.readStream(stream, known.version, PAGE);
    const last = page.at(-1);
    if (last === undefined) return { folded: known, more: false };
    const state = page.reduce((before, event) => fold.evolve(before, event as unknown as Event), known.state);
    const folded = { state, version: last.version, position: last.position, eventId: last.metadata.event_id };
    this.keep(fold, stream, folded);
    return { folded, more: page.length === PAGE };
  }

  private readsOf(fold: object): Map<string, Promise<unknown>> {
    const reads = this.longReads.get(fold) ?? new Map<string, Promise<unknown>>();
    this.longReads.set(fold, reads);
    return reads;
  }
}

/** A stream that does not exist. */
export const nothing = <State, Event extends DomainEvent>({ initial }: Fold<State, Event>): Folded<State> => ({
  state: initial,
  version: 0,
  position: LOG_START,
  eventId: null,
});
