import {
  type AppendResult,
  type EventStore,
  type NewEvent,
  type Position,
  type RecordedEvent,
  StoreUnavailable,
} from '../../../src/platform/event-store/event-store.port';
import { aNewEvent, aStream } from '../../support/events';

/** The current end of the log, found without reading the events before it. */
export const endOfLog = async (store: EventStore): Promise<Position> =>
  appended(await store.append(aStream('contract_marker'), 0, [aNewEvent('Marked')])).position;

export function appended(result: AppendResult): Extract<AppendResult, { kind: 'appended' }> {
  if (result.kind !== 'appended') throw new Error('expected the append to be accepted, it was a conflict');
  return result;
}

/** Every event after the position, in pages, of the named streams only. */
export async function readOwn(
  store: EventStore,
  after: Position,
  streams: readonly string[],
  limit = 100,
): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  for (let from = after; ;) {
    const page = await store.readAll(from, limit);
    found.push(...page.filter((event) => streams.includes(event.stream)));
    const last = page.at(-1);
    if (!last || page.length < limit) return found;
    from = last.position;
  }
}

/** Repeats with the same ids while the outcome is unknown: the port promises that this is written once. */
export async function appendSurely(
  store: EventStore,
  stream: string,
  expectedVersion: number,
  events: readonly NewEvent[],
): Promise<AppendResult> {
  for (;;) {
    try {
      return await store.append(stream, expectedVersion, events);
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || error.outcome !== 'unknown') throw error;
      await reachable(store);
    }
  }
}

export async function reachable(store: EventStore): Promise<void> {
  for (;;) {
    try {
      return await store.ping();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

export const idsOf = (events: readonly NewEvent[]): string[] => events.map((event) => event.metadata.event_id);

export const placesOf = (events: readonly RecordedEvent[]): string[] =>
  events.map((event) => `${event.stream}@${event.version}`);

export function expectStrictlyIncreasing(positions: readonly Position[]): void {
  const outOfOrder = positions.filter((position, index) => index > 0 && position <= (positions[index - 1] ?? 0n));
  expect(outOfOrder).toEqual([]);
}
