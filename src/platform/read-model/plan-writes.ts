import { type Lookup, type Projection, type Step } from './projection';
import { type RecordedEvent } from '../event-store/event-store.port';
import { type DocumentRef, type DocumentWrite, type Stored } from './read-model.port';

type Load = (refs: readonly DocumentRef[]) => Promise<readonly (Stored | undefined)[]>;
type Planned = Readonly<{ event: RecordedEvent } & ({ step: Step } | { lookup: Lookup })>;

/**
 * What a batch of events does to the documents, as one list of writes.
 * Derived documents (`also`) come before all documents that are read and changed: if the writes stop half-way, the
 * event is replayed, finds the read document unchanged, and writes the derived ones again with the same content.
 * Documents that count others, such as the length of a feed, come last.
 */
export const planWrites = async (
  projections: readonly Projection[],
  events: readonly RecordedEvent[],
  load: Load,
): Promise<readonly DocumentWrite[]> => (await planBatch(projections, events, load)).writes;

export type Plan = Readonly<{
  writes: readonly DocumentWrite[];
  /** Where in `writes` the next part begins: parts are written in order; within one, collections have no order. */
  parts: readonly number[];
  /** The documents as the batch leaves them, including those that it only read. */
  left: ReadonlyMap<string, Stored>;
}>;

/** The same, with what may be written concurrently, and what the next batch need not load. */
export async function planBatch(
  projections: readonly Projection[],
  events: readonly RecordedEvent[],
  load: Load,
): Promise<Plan> {
  const planned = plannedBy(projections, events);
  const touched = new Touched(load);
  await touched.load(planned.map((one) => ('step' in one ? one.step : one.lookup)));
  // In one load for lookups whose document is already there; one that this batch creates is handled in its turn.
  await touched.load(planned.flatMap((one) => ('lookup' in one ? touched.stepsOf(one.lookup) : [])));

  const changed = new Map<string, DocumentWrite>();
  const also: DocumentWrite[] = [];
  for (const one of planned) {
    const { event } = one;
    for (const step of 'step' in one ? [one.step] : await touched.foundSteps(one.lookup, event)) {
      const before = touched.get(step);
      if (before !== undefined && before.position >= event.position) continue;
      const result = step.next(before?.document);
      const isNew = before === undefined || changed.get(keyOf(step))?.isNew === true;
      const write = { collection: step.collection, document: result.document, position: event.position, isNew };
      touched.set(write);
      changed.set(keyOf(step), write);
      for (const extra of result.also ?? []) {
        const written = { ...extra, position: event.position };
        also.push(written);
        // A later event of this batch may change it, unless the store has a newer version.
        touched.setIfNewer(written);
      }
    }
  }
  const [last, others] = [true, false].map((wanted) =>
    [...changed.values()].filter(({ collection: { writtenLast = false } }) => writtenLast === wanted),
  ) as [DocumentWrite[], DocumentWrite[]];
  const writes = [...byCollection(also), ...byCollection(others), ...byCollection(last)];
  return { writes, parts: [also.length, also.length + others.length], left: touched.documents };
}

/** Plain loops, because nearly every projection ignores nearly every event, which should cost nearly nothing. */
function plannedBy(projections: readonly Projection[], events: readonly RecordedEvent[]): readonly Planned[] {
  const planned: Planned[] = [];
  for (const event of events)
    for (const projection of projections) {
      for (const step of projection.project(event)) planned.push({ event, step });
      for (const lookup of projection.lookups?.(event) ?? NONE) planned.push({ event, lookup });
    }
  return planned;
}

const NONE: readonly Lookup[] = [];

/** Documents as the batch finds and leaves them. */
class Touched {
  readonly documents = new Map<string, Stored>();
  private readonly loaded = new Set<string>();

  constructor(private readonly loadAll: Load) {}

  get(ref: DocumentRef): Stored | undefined {
    return this.documents.get(keyOf(ref));
  }

  set({ collection, document, position }: DocumentWrite): void {
    this.documents.set(keyOf({ collection, id: document.id }), { document, position });
  }

  setIfNewer(write: DocumentWrite): void {
    const { collection, document, position } = write;
    const known = this.get({ collection, id: document.id });
    if (known === undefined || known.position < position) this.set(write);
  }

  async load(refs: readonly (DocumentRef & Pick<Step, 'isNew'>)[]): Promise<void> {
    const missing = new Map<string, DocumentRef>();
    for (const { collection, id, isNew } of refs) {
      const key = keyOf({ collection, id });
      // Later steps find it as this batch makes it.
      if (isNew && !missing.has(key)) this.loaded.add(key);
      if (!this.loaded.has(key)) missing.set(key, { collection, id });
    }
    if (missing.size === 0) return;
    const stored = await this.loadAll([...missing.values()]);
    [...missing.keys()].forEach((key, index) => {
      const found = stored[index];
      this.loaded.add(key);
      if (found !== undefined && !this.documents.has(key)) this.documents.set(key, found);
    });
  }

  /** None while the other document does not exist. */
  stepsOf(lookup: Lookup): readonly Step[] {
    const found = this.get(lookup);
    return found === undefined ? [] : lookup.then(found.document);
  }

  async foundSteps(lookup: Lookup, event: RecordedEvent): Promise<readonly Step[]> {
    if (this.get(lookup) === undefined) {
      throw new Error(`projection of ${event.type}: ${lookup.collection.name} has no ${lookup.id}`);
    }
    const steps = this.stepsOf(lookup);
    await this.load(steps);
    return steps;
  }
}

/**
 * Engines write a run of one collection at once, and within it a run of new documents; within a part the order between
 * collections does not matter, nor that between documents.
 */
const byCollection = (writes: readonly DocumentWrite[]): readonly DocumentWrite[] =>
  [...writes].sort(
    (one, other) =>
      compare(one.collection.name, other.collection.name) || Number(other.isNew ?? false) - Number(one.isNew ?? false),
  );

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

export const keyOf = ({ collection, id }: Pick<DocumentRef, 'id'> & { collection: { name: string } }): string =>
  `${collection.name}/${id}`;
