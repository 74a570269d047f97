import { type EventStore, type RecordedEvent } from '../../platform/event-store/event-store.port';
import { type TreeReader } from '../tree/tree-reader';

/** Leaves no further apart than this are read in one go, including the events between them. */
const MAX_GAP = 16;

/**
 * The events of these leaves, which are in order, up to the first that cannot be read yet. An engine can only read from
 * the position of an event.
 */
export async function eventsOfLeaves(
  store: Pick<EventStore, 'readAll'>,
  tree: TreeReader,
  leaves: readonly number[],
): Promise<readonly RecordedEvent[]> {
  const runs = await Promise.all(
    runsOf(leaves).map(async (run) => {
      const [first = 0] = run;
      const last = run.at(-1) ?? first;
      const read = await store.readAll(await tree.positionOf(first - 1), last - first + 1);
      return run.map((leaf) => read[leaf - first]);
    }),
  );
  const events = runs.flat();
  const gap = events.indexOf(undefined);
  return (gap < 0 ? events : events.slice(0, gap)) as readonly RecordedEvent[];
}

function runsOf(leaves: readonly number[]): readonly (readonly number[])[] {
  const runs: number[][] = [];
  for (const leaf of leaves) {
    const run = runs.at(-1);
    if (run !== undefined && leaf - (run.at(-1) ?? 0) <= MAX_GAP) run.push(leaf);
    else runs.push([leaf]);
  }
  return runs;
}
