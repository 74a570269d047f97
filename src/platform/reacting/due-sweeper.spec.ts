import { type Logger } from 'pino';
import { collection } from '../read-model/projection';
import { type ReadModel } from '../read-model/read-model.port';
import { type Projector } from '../projecting/projector';
import { type DueSweep, DueSweeper } from './due-sweeper';
import { DueSweepers } from './due-sweepers';
import { type Leadership } from './leadership';

type Thing = Readonly<{ id: string; due_at: string }>;
const things = collection<Thing>('things', { due: { equals: ['open'], sort: 'due_at' } });

let looks = 0;

/** As an index would give them: in the order of due_at, page by page; cursors are the last id. */
const listing = (documents: Thing[]): ReadModel =>
  ({
    find: async (_collection, _index, _equals, { limit, after }) => {
      looks += 1;
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
  let shown = 0n;
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
    const sweeper = new DueSweeper(listing(documents), sweep, clock, log, () => shown);
    sweeper.start();
    await reached;
    await sweeper.stop();
  }

  beforeEach(() => {
    now = 0;
    shown = 0n;
    looks = 0;
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

  it('leaves what is due to the instance that has taken over', async () => {
    const ran: string[] = [];
    let leads = false;
    const leadership = { leads: () => leads } as Leadership;
    const projector = { progress: { position: shown } } as Projector;
    const sweepers = new DueSweepers(listing([aThing(0)]), clock, log as Logger, leadership, projector);
    const run = async ({ id }: Thing): Promise<void> => void ran.push(id);
    sweepers.add({ name: 'things', collection: things, index: 'due', equals: [true], dueAt: (one) => one.due_at, run });
    // A stop lets the round in progress end.
    const aRound = async (): Promise<void> => {
      sweepers.start();
      await sweepers.stop();
    };
    await aRound();
    expect([looks, ran]).toEqual([2, []]);
    leads = true;
    await aRound();
    expect(ran).toEqual(['thing-0000']);
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

  it('is not blocked by what keeps failing, and logs it once per round', async () => {
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

  describe('while nothing is due', () => {
    const aRound = 1_000;
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    /** Looks made while so many seconds pass, `each` of which something may happen. */
    async function looksWithin(seconds: number, documents: Thing[], each: (second: number) => void): Promise<number> {
      const sweep = { name: 'things', collection: things, index: 'due', equals: [true] };
      const dueAt = ({ due_at }: Thing): string => due_at;
      const run = async ({ id }: Thing): Promise<void> =>
        void documents.splice(
          documents.findIndex((found) => found.id === id),
          1,
        );
      const sweeper = new DueSweeper(listing(documents), { ...sweep, dueAt, run }, clock, log, () => shown);
      sweeper.start();
      for (let second = 0; second < seconds; second += 1) {
        await jest.advanceTimersByTimeAsync(aRound);
        each(second);
      }
      const stopped = sweeper.stop();
      await jest.advanceTimersByTimeAsync(aRound);
      await stopped;
      return looks;
    }

    it('makes one lookup, and another only every fifteen seconds, as long as reads show nothing new', async () => {
      expect(await looksWithin(10, [aThing(5)], () => undefined)).toBe(1);
      expect(await looksWithin(40, [], () => undefined)).toBe(1 + 3);
    });

    it('makes another lookup within a second after reads show more', async () => {
      const documents: Thing[] = [];
      const left: number[] = [];
      await looksWithin(4, documents, (second) => {
        left.push(documents.length);
        if (second !== 0) return;
        documents.push(aThing(0));
        shown = 1n;
      });
      expect(left).toEqual([0, 0, 0, 0]);
      expect(looks).toBeGreaterThan(1);
    });

    it('makes another lookup when what it has seen is due', async () => {
      const documents = [aThing(5)];
      const left: number[] = [];
      await looksWithin(4, documents, (second) => {
        left.push(documents.length);
        if (second === 1) now = 5;
      });
      expect(left).toEqual([1, 1, 0, 0]);
    });
  });
});
