import { momentOf } from '../../kernel/rfc3339';
import { Inject, Injectable } from '../injection';
import { type Collection, type Document, type Projection } from './projection';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../event-store/event-store.port';
import { streamOf } from '../event-store/stream-name';
import { refuse } from '../../kernel/errors';
import { type Category } from '../../kernel/aggregates';

/** Records as they were, from the log: built by the same projections as today's documents. */
@Injectable()
export class History {
  constructor(@Inject(EVENT_STORE) private readonly store: Pick<EventStore, 'readStream'>) {}

  /** Refuses if there was no such record at that moment. The caller has checked whose it is. */
  async documentAt<D extends Document>(
    projection: Projection,
    collection: Collection<D>,
    category: Category,
    id: string,
    moment: string,
  ): Promise<D> {
    const events = await this.store.readStream(streamOf(category, id));
    let shown = eventsUntil(events, moment).length;
    let document = documentAfter(projection, collection, id, events.slice(0, shown));
    // The log dates an event when it is written, a little after the time that the record states for the same change.
    for (; shown < events.length; shown += 1) {
      const next = documentAfter(projection, collection, id, events.slice(0, shown + 1));
      if (next === undefined || !isDatedBy(moment, next, document)) break;
      document = next;
    }
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

type Dated = Document & Readonly<{ updated_at?: string }>;

/** Whether a record says itself that its last change had happened by that moment. */
function isDatedBy(moment: string, next: Dated, before: Dated | undefined): boolean {
  if (next.updated_at === undefined || next.updated_at === before?.updated_at) return false;
  return Date.parse(next.updated_at) <= (momentOf(moment)?.getTime() ?? NaN);
}

/** The beginning of a stream: up to the first event that happened after the moment. */
export function eventsUntil(events: readonly RecordedEvent[], moment: string): readonly RecordedEvent[] {
  const end = momentOf(moment)?.getTime() ?? NaN;
  const later = events.findIndex(({ metadata }) => Date.parse(metadata.occurred_at) > end);
  return later < 0 ? events : events.slice(0, later);
}

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
