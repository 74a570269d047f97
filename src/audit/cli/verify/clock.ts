import { type RecordedEvent } from '../../../platform/event-store/event-store.port';
import { IN_FLIGHT_MS, type Log, timeOf } from './invariant';

/** A payment's creation, and the time at which the service decided on it. */
export type Creation = Readonly<{ event: RecordedEvent; at: string }>;

/** Whether an event happened so long before a payment was created that the service must have known about it. */
export const wasKnownTo = (log: Log, event: RecordedEvent, creation: Creation): Promise<boolean> =>
  happenedBy(log, event, creation, -IN_FLIGHT_MS);

/** Whether the service may have known about an event when it created a payment. */
export const mayBeKnownTo = (log: Log, event: RecordedEvent, creation: Creation): Promise<boolean> =>
  happenedBy(log, event, creation, IN_FLIGHT_MS);

async function happenedBy(log: Log, event: RecordedEvent, created: Creation, toleranceMs: number): Promise<boolean> {
  if (await clockWasSetBack(log, event, created.event)) return event.position < created.event.position;
  return writtenAt(event) <= timeOf(created.at) + toleranceMs;
}

/**
 * Whether the clock was set back between two events. Then their times do not show which came first, but their order in
 * the log does. The event after them must still bear an earlier time than the first: one that stands alone was dated
 * back, and counts as what it claims. No slack is left for that event, because on a quiet service it is the next
 * checkpoint, by which the old time may nearly have come again.
 */
async function clockWasSetBack(log: Log, one: RecordedEvent, other: RecordedEvent): Promise<boolean> {
  const [first, second] = one.position < other.position ? [one, other] : [other, one];
  if (writtenAt(second) >= writtenAt(first) - IN_FLIGHT_MS) return false;
  const next = await log.next(second);
  return next !== undefined && writtenAt(next) < writtenAt(first);
}

const writtenAt = ({ metadata }: RecordedEvent): number => timeOf(metadata.occurred_at);
