import { type RecordedEvent } from '../../../platform/event-store/event-store.port';
import { type Category, type IdOf } from '../../../kernel/aggregates';

/** A violation, and the event that shows it. */
export type Breach = Readonly<{ event: RecordedEvent; what: string }>;

/** The rest of the log, for invariants across streams: a stream's events up to the verified position. */
export type Log = Readonly<{
  stream<C extends Category>(category: C, id: IdOf<NoInfer<C>>): Promise<readonly RecordedEvent[]>;
  /** The event that follows in the whole log, whatever its stream. */
  next(event: RecordedEvent): Promise<RecordedEvent | undefined>;
}>;

/** A guarantee for every stream of a category, judged from events alone. `name` identifies its findings. */
export type Invariant = Readonly<{
  name: string;
  says: string;
  categories: readonly Category[];
  breaches(events: readonly RecordedEvent[], log: Log): AsyncIterable<Breach> | Iterable<Breach>;
}>;

/** A decision based on a slightly older state may be appended shortly after that state changed. */
export const IN_FLIGHT_MS = 30_000;

export const timeOf = (text: string): number => Date.parse(text);
