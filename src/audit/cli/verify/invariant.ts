import { type RecordedEvent } from '../../../platform/event-store/event-store.port';
import { type Category, type IdOf } from '../../../kernel/aggregates';

/** Something that must not be, and the event that shows it. */
export type Breach = Readonly<{ event: RecordedEvent; what: string }>;

/** The rest of the log, for what rests on other streams: a stream's events as of the moment that is verified. */
export type Log = Readonly<{
  stream<C extends Category>(category: C, id: IdOf<NoInfer<C>>): Promise<readonly RecordedEvent[]>;
}>;

/** A guarantee for every stream of a category, judged from events alone. `name` identifies its findings. */
export type Invariant = Readonly<{
  name: string;
  says: string;
  categories: readonly Category[];
  breaches(events: readonly RecordedEvent[], log: Log): AsyncIterable<Breach> | Iterable<Breach>;
}>;

/** What was decided on the state of a moment ago may be appended shortly after that state changed. */
export const IN_FLIGHT_MS = 30_000;

export const timeOf = (text: string): number => Date.parse(text);
