import { type Document, type Projection, type Step } from '../../../projections/projection';
import { type RecordedEvent } from '../event-store/event-store.port';
import { type DocumentRef, type DocumentWrite, type Stored } from './read-model.port';

type Load = (refs: readonly DocumentRef[]) => Promise<readonly (Stored | undefined)[]>;
type Planned = Readonly<{ event: RecordedEvent; step: Step }>;

/**
 * What a batch of events does to the documents, as one list of writes.
 * Documents that follow from another (`also`) come before all that are read and changed: if the writes stop half-way, the
 * event is played again, finds the read document unmoved, and writes the others once more with the same content.
 */
export async function planWrites(
  projections: readonly Projection[],
  events: readonly RecordedEvent[],
  load: Load,
): Promise<readonly DocumentWrite[]> {
  const planned: Planned[] = [];
  for (const event of events) {
    for (const projection of projections) {
      for (const step of projection.project(event)) planned.push({ event, step });
    }
  }

  const touched = await loadTouched(planned, load);
  const changed = new Map<string, DocumentWrite>();
  const also: DocumentWrite[] = [];
  for (const { event, step } of planned) {
    const key = keyOf(step.collection.name, step.id);
    const before = touched.get(key);
    if (before !== undefined && before.position >= event.position) continue;
    const result = step.next(before?.document);
    const write = { collection: step.collection, document: result.document, position: event.position };
    touched.set(key, write);
    changed.set(key, write);
    for (const extra of result.also ?? []) also.push({ ...extra, position: event.position });
  }
  return [...byCollection(also), ...byCollection([...changed.values()])];
}

async function loadTouched(planned: readonly Planned[], load: Load): Promise<Map<string, Stored>> {
  const refs = new Map<string, DocumentRef>();
  for (const { step } of planned) {
    refs.set(keyOf(step.collection.name, step.id), { collection: step.collection, id: step.id });
  }
  const stored = await load([...refs.values()]);
  const touched = new Map<string, { document: Document; position: bigint }>();
  [...refs.keys()].forEach((key, index) => {
    const found = stored[index];
    if (found !== undefined) touched.set(key, found);
  });
  return touched;
}

/** Engines write a run of one collection in one go; within a half the order between collections does not matter. */
const byCollection = (writes: readonly DocumentWrite[]): readonly DocumentWrite[] =>
  [...writes].sort(({ collection: { name: one } }, { collection: { name: other } }) => compare(one, other));

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

const keyOf = (collection: string, id: string): string => `${collection}/${id}`;
