import { type RecordedEvent } from '../../../platform/event-store/event-store.port';
import { IN_FLIGHT_MS, type Log, timeOf } from './invariant';

/** A payment's creation, and the time at which the service decided on it. */
export type Creation = Readonly<{ event: RecordedEvent; at: string }>;

/** A clock that is corrected moves by this much at most, unless the log shows that it moved further. */
const MAX_CORRECTION_MS = 2 * 60_000;

/** Whether an event happened so long before a payment was created that the service must have known about it. */
export async function wasKnownTo(log: Log, event: RecordedEvent, creation: Creation): Promise<boolean> {
  const { byTime, byOrder } = await happenedBy(log, event, creation, -IN_FLIGHT_MS);
  return byTime && byOrder;
}

/** Whether the service may have known about an event when it created a payment. */
export async function mayBeKnownTo(log: Log, event: RecordedEvent, creation: Creation): Promise<boolean> {
  const { byTime, byOrder } = await happenedBy(log, event, creation, IN_FLIGHT_MS);
  return byTime || byOrder;
}

/**
 * By their times and by their order in the log. Mostly one of them decides, and stands for both. Where one event is
 * dated back by little, and nothing shows whether the clock was, both count: a clock may have gone to and fro.
 */
async function happenedBy(log: Log, event: RecordedEvent, created: Creation, toleranceMs: number) {
  const byOrder = event.position < created.event.position;
  const byTime = writtenAt(event) <= timeOf(created.at) + toleranceMs;
  const backMs = datedBackBy(event, created.event);
  if (backMs <= IN_FLIGHT_MS) return { byTime, byOrder: byTime };
  if (await clockWasSetBack(log, event, created.event)) return { byTime: byOrder, byOrder };
  return backMs <= MAX_CORRECTION_MS ? { byTime, byOrder } : { byTime, byOrder: byTime };
}

const inLogOrder = (one: RecordedEvent, other: RecordedEvent): readonly [RecordedEvent, RecordedEvent] =>
  one.position < other.position ? [one, other] : [other, one];

/** How much earlier a time the later of two events bears. */
function datedBackBy(one: RecordedEvent, other: RecordedEvent): number {
  const [first, second] = inLogOrder(one, other);
  return writtenAt(first) - writtenAt(second);
}

/**
 * Whether the clock was set back between two events, the later of which bears an earlier time. Then their times do not
 * show which came first, but their order in the log does. The event after them must still bear an earlier time than the first: one that stands alone was dated
 * back, and counts as what it claims. No slack is left for that event, because on a quiet service it is the next
 * checkpoint, by which the old time may nearly have come again.
 */
async function clockWasSetBack(log: Log, one: RecordedEvent, other: RecordedEvent): Promise<boolean> {
  const [first, second] = inLogOrder(one, other);
  const next = await log.next(second);
  return next !== undefined && writtenAt(next) < writtenAt(first);
}

const writtenAt = ({ metadata }: RecordedEvent): number => timeOf(metadata.occurred_at);
