import { collection } from '../read-model/projection';
import { type ReadModel } from '../read-model/read-model.port';
import { type DueSweep, DueSweeper } from './due-sweeper';

type Thing = Readonly<{ id: string; due_at: string }>;
const things = collection<Thing>('things', { due: { equals: ['open'], sort: 'due_at' } });

/** As an index would give them: in the order of due_at, page by page; cursors are the last id. */
const listing = (documents: Thing[]): ReadModel =>
  ({
    find: async (_collection, _index, _equals, { limit, after }) => {
      const start = after === undefined ? 0 : documents.findIndex(({ id }) => id === after.id) + 1;
      const page = documents.slice(start, start + limit);
      const last = page.at(-1);
      return { documents: page, next: last && documents.at(-1) !== last ? { sort: null, id: last.id } : null };
    },
  }) as Pick<ReadModel, 'find'> as ReadModel;

const minute = (value: number): string => new Date(Date.UTC(2030, 0, 1, 0, value)).toISOString();
const aThing = (index: number): Thing => ({ id: `thing-${String(index).padStart(4, '0')}`, due_at: minute(index) });

describe('the due sweeper', () => {
  let now = 0;
  let warnings: object[] = [];
  const clock = { now: () => new Date(minute(now)) };
  const log = { warn: (fields: object) => void warnings.push(fields) };

  /** Sweeps until the condition holds; the test's own time limit ends it otherwise. */
  async function sweepUntil(
    documents: Thing[],
    run: (thing: Thing) => Promise<void>,
    holds: () => boolean,
  ): Promise<void> {
    let check = (): void => undefined;
    const reached = new Promise<void>((resolve) => (check = () => (holds() ? resolve() : undefined)));
    const sweep: DueSweep<Thing> = {
      name: 'things',
      collection: things,
      index: 'due',
      equals: [true],
      dueAt: ({ due_at }) => due_at,
      run: (thing) => run(thing).finally(check),
    };
    const sweeper = new DueSweeper(listing(documents), sweep, clock, log);
    sweeper.start();
    await reached;
    await sweeper.stop();
  }

  beforeEach(() => {
    now = 0;
    warnings = [];
  });

  it('runs what is due, over all pages, and leaves the rest', async () => {
    const documents = Array.from({ length: 400 }, (_, index) => aThing(index));
    const ran = new Set<string>();
    now = 249;
    await sweepUntil(
      documents,
      async ({ id }) => void ran.add(id),
      () => ran.size >= 250,
    );
    expect(ran.size).toBe(250);
    expect(ran.has('thing-0249')).toBe(true);
  });

  it('finds what becomes due later', async () => {
    const documents = [aThing(5)];
    const ran: string[] = [];
    const later = setTimeout(() => (now = 5), 20);
    await sweepUntil(
      documents,
      async ({ id }) => void ran.push(`${id}@${now}`),
      () => ran.length > 0,
    );
    clearTimeout(later);
    expect(ran[0]).toBe('thing-0005@5');
  });

  it('is not held up by what keeps failing, and says so once a round', async () => {
    const documents = Array.from({ length: 150 }, (_, index) => aThing(index));
    const ran = new Set<string>();
    let tries = 0;
    now = 1_000;
    await sweepUntil(
      documents,
      async ({ id }) => {
        if (Number(id.slice(-4)) < 120) throw new Error(`not ${(tries += 1)}`);
        ran.add(id);
      },
      () => tries > 120,
    );
    expect(ran.size).toBe(30);
    expect(warnings.length).toBeGreaterThan(0);
    expect(warnings.length).toBeLessThanOrEqual(Math.ceil(tries / 120));
  });
});
