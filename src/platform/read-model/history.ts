import { momentOf } from '../../kernel/rfc3339';
import { Inject, Injectable } from '../injection';
import { type Collection, type Document, type Projection } from './projection';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../event-store/event-store.port';
import { streamOf } from '../event-store/stream-name';
import { CLOCK, type Clock } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { type Category } from '../../kernel/aggregates';

/** Past states of records, built from the log by the same projections as the current documents. */
@Injectable()
export class History {
  constructor(
    @Inject(EVENT_STORE) private readonly store: Pick<EventStore, 'readStream'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Refuses if there was no such record at that moment. The caller has checked whose it is. */
  async documentAt<D extends Document>(
    projection: Projection,
    collection: Collection<D>,
    category: Category,
    id: string,
    moment: string,
  ): Promise<D> {
    const recordAfter = (events: readonly RecordedEvent[]) => documentAfter(projection, collection, id, events);
    const events = await this.store.readStream(streamOf(category, id));
    // Whatever time an event bears, it has happened by now.
    const isOver = (momentOf(moment)?.getTime() ?? NaN) < this.clock.now().getTime();
    const document = recordAfter(isOver ? eventsAsOf(events, moment, recordAfter) : events);
    if (document === undefined) throw refuse('resource_not_found');
    return document;
  }

  /** As it was after that many events; undefined if there are fewer. */
  async documentAtVersion<D extends Document>(
    projection: Projection,
    collection: Collection<D>,
    category: Category,
    id: string,
    version: number,
  ): Promise<D | undefined> {
    const events = await this.store.readStream(streamOf(category, id));
    return events.length < version ? undefined : documentAfter(projection, collection, id, events.slice(0, version));
  }
}

/**
 * The beginning of a stream, up to the last event that had happened by the moment: where the clock was set back, earlier
 * events bear later times, and the record as of now must not lack them. The log dates an event when it is written, a
 * little after the time that the record itself states for the same change; the earlier of the two counts.
 */
export function eventsAsOf(
  events: readonly RecordedEvent[],
  moment: string,
  recordAfter: (events: readonly RecordedEvent[]) => object | undefined,
): readonly RecordedEvent[] {
  const end = momentOf(moment)?.getTime() ?? NaN;
  let shown = events.findLastIndex(({ metadata }) => Date.parse(metadata.occurred_at) <= end) + 1;
  const statedAfter = (count: number): string | undefined => {
    const record: Dated | undefined = recordAfter(events.slice(0, count));
    return record?.updated_at;
  };
  let stated = statedAfter(shown);
  for (; shown < events.length; shown += 1) {
    const next = statedAfter(shown + 1);
    if (next === undefined || next === stated || Date.parse(next) > end) break;
    stated = next;
  }
  return events.slice(0, shown);
}

type Dated = Readonly<{ updated_at?: string }>;

/** What a projection makes of one document from these events; undefined if they do not touch it. */
export function documentAfter<D extends Document>(
  { project }: Projection,
  collection: Collection<D>,
  id: string,
  events: readonly RecordedEvent[],
): D | undefined {
  return events
    .flatMap((event) => project(event))
    .filter((step) => step.collection === collection && step.id === id)
    .reduce<Document | undefined>((before, step) => step.next(before).document, undefined) as D | undefined;
}
