import { type Collection, type Document, type Projection } from '../../src/platform/read-model/projection';
import { type DomainEvent } from '../../src/kernel/decider';
import { type RecordedEvent } from '../../src/platform/event-store/event-store.port';
import { planWrites } from '../../src/platform/read-model/plan-writes';
import { type DocumentRef, type DocumentWrite } from '../../src/platform/read-model/read-model.port';

export const AT = '2030-01-01T00:00:00.000Z';
const ALL_AT_ONCE = 500;
const keyOf = ({ collection: { name }, id }: DocumentRef): string => `${name}/${id}`;

/** `new GivenLog(projections).happens(stream, …events).leadsTo(collection, id, expected)`: the DSL of their specs. */
export class GivenLog {
  readonly events: RecordedEvent[] = [];
  private documents = new Map<string, DocumentWrite>();
  private readonly versions = new Map<string, number>();

  constructor(private readonly projections: readonly Projection[]) {}

  happens(stream: string, ...events: readonly DomainEvent[]): this {
    for (const { type, data } of events) {
      const version = (this.versions.get(stream) ?? 0) + 1;
      this.versions.set(stream, version);
      const position = BigInt(this.events.length + 1);
      const event_id = `evt_${position}`;
      const metadata = { event_id, occurred_at: AT, request_id: 'req_1', actor: { kind: 'test', id: 't' }, schema: 1 };
      this.events.push({ stream, version, type, data, position, metadata });
    }
    return this;
  }

  /** Projects the log in batches of this size. */
  async projected(batch = ALL_AT_ONCE): Promise<this> {
    const load = (refs: readonly DocumentRef[]) => Promise.resolve(refs.map((ref) => this.documents.get(keyOf(ref))));
    for (let at = 0; at < this.events.length; at += batch) {
      for (const write of await planWrites(this.projections, this.events.slice(at, at + batch), load)) {
        const key = keyOf({ collection: write.collection, id: write.document.id });
        if ((this.documents.get(key)?.position ?? 0n) < write.position) this.documents.set(key, write);
      }
    }
    return this;
  }

  /** Also checks a rule of every projection: events one by one or all at once lead to the same documents. */
  async leadsTo<D extends Document>(collection: Collection<D>, id: string, expected: Partial<D>): Promise<void> {
    this.documents = new Map();
    const oneByOne = (await this.projected(1)).all();
    this.documents = new Map();
    expect((await this.projected()).all()).toBe(oneByOne);
    expect(this.get(collection, id)).toMatchObject(expected);
  }

  get<D extends Document>(collection: Collection<D>, id: string): D | undefined {
    return this.documents.get(keyOf({ collection, id }))?.document as D | undefined;
  }

  of<D extends Document>({ name }: Collection<D>): D[] {
    return [...this.documents.values()]
      .filter(({ collection }) => collection.name === name)
      .map(({ document }) => document as D);
  }

  all(): string {
    return JSON.stringify([...this.documents].sort().map(([key, { document }]) => [key, document]));
  }
}
