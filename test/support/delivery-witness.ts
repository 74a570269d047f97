import { type RecordedEvent } from '../../src/platform/event-store/event-store.port';
import { derivedId } from '../../src/kernel/ids';
import { type Received } from './webhook-receiver';

export type DeliveryFigures = Readonly<{ events: number; lost: number; doubled: number; outOfOrder: number }>;

/** Compares what an endpoint received with what it should have received according to the log. */
export function deliveryFigures(
  endpointId: string,
  events: readonly RecordedEvent[],
  received: readonly Pick<Received, 'id'>[],
): DeliveryFigures {
  const arrivals = new Map<string, number[]>();
  received.forEach(({ id }, at) => arrivals.set(id, [...(arrivals.get(id) ?? []), at]));
  const firstOf = (event: RecordedEvent): number | undefined =>
    arrivals.get(derivedId('whd', endpointId, event.metadata.event_id))?.[0];

  const lastOfStream = new Map<string, number>();
  let lost = 0;
  let outOfOrder = 0;
  for (const event of events) {
    const first = firstOf(event);
    if (first === undefined) lost += 1;
    else if (first < (lastOfStream.get(event.stream) ?? -1)) outOfOrder += 1;
    else lastOfStream.set(event.stream, first);
  }
  const doubled = [...arrivals.values()].reduce((sum, { length }) => sum + length - 1, 0);
  return { events: events.length, lost, doubled, outOfOrder };
}
