import { type DomainEvent, type Fold } from '../../kernel/decider';
import { type EventStore, LOG_START } from './event-store.port';
import { type Cacheable, FoldCaches, type Folded } from './fold-cache';

/** A few milliseconds of work: so long may a stream of any length keep everyone else waiting at a time. */
const PAGE = 100;

/** Streams folded as far as the log goes: what is known already is not read again. */
export class FoldReader {
  private readonly caches = new FoldCaches();
  /** Long reads that are under way, by fold: those who come meanwhile wait for one instead of doing it again. */
  private readonly longReads = new WeakMap<object, Map<string, Promise<unknown>>>();

  constructor(private readonly store: EventStore) {}

  /** Maybe behind. */
  known<State>(fold: Cacheable<State>, stream: string): Folded<State> | undefined {
    return this.caches.of(fold).get(stream);
  }

  keep<State>(fold: Cacheable<State>, stream: string, folded: Folded<State>): void {
    this.caches.of(fold).put(stream, folded);
  }

  /** Nothing that was in the log before the call is missing. */
  async newest<State, Event extends DomainEvent>(fold: Fold<State, Event>, stream: string): Promise<Folded<State>> {
    const reads = this.readsOf(fold);
    for (;;) {
      // A failure is told to whoever began it; and what was written since it read its last page is still to be read here.
      await reads.get(stream)?.catch(() => undefined);
      const known = this.known(fold, stream) ?? { state: fold.initial, version: 0, position: LOG_START, eventId: null };
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
      // Reading may not wait for anything, and then nobody else would run before the end.
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
