import { type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { type Invariant, type Log } from '../invariant';

/** What an invariant says of these events, in a log that also has others. */
export async function saidBy(
  invariant: Invariant,
  events: readonly RecordedEvent[],
  others: readonly RecordedEvent[] = [],
): Promise<readonly string[]> {
  const log: Log = {
    stream: async (category, id) => others.filter(({ stream }) => stream === `${category}-${id}`),
    next: async () => undefined,
  };
  const found: string[] = [];
  for await (const { what } of invariant.breaches(events, log)) found.push(what);
  return found;
}
