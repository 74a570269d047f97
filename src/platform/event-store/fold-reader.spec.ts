import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newEvents } from '../../../test/support/events';
import { type Fold } from '../../kernel/decider';
import { openEmbeddedEventStore } from './embedded/open-embedded-event-store';
import { type EventStore, StoreUnavailable } from './event-store.port';
import { FoldReader } from './fold-reader';
import { type Category } from '../../kernel/aggregates';

type Happened = Readonly<{ type: 'SomethingHappened'; data: Readonly<{ index: number }> }>;
type Sum = Readonly<{ count: number; sum: number }>;

const sums = (): Fold<Sum, Happened> => ({
  category: 'sums' as Category,
  initial: { count: 0, sum: 0 },
  evolve: ({ count, sum }, { data }) => ({ count: count + 1, sum: sum + data.index }),
});

const LENGTH = 3_000;
const WHOLE = { count: LENGTH, sum: (LENGTH * (LENGTH - 1)) / 2 };

describe('reading folds', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-folds-'));
  const stream = 'sums-long';
  let store: EventStore;
  /** After which version, and how many, in the order of asking. */
  let reads: (readonly [after: number, count: number])[] = [];
  let failing = false;

  beforeAll(async () => {
    store = await openEmbeddedEventStore(folder);
    const events = newEvents(LENGTH);
    for (let at = 0; at < LENGTH; at += 500) await store.append(stream, at, events.slice(at, at + 500));
  });
  beforeEach(() => {
    reads = [];
    failing = false;
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  const newReader = (): FoldReader =>
    new FoldReader({
      readStream: async (name: string, after = 0, limit?: number) => {
        if (failing && after > 1_000) throw new StoreUnavailable('unknown');
        const page = await store.readStream(name, after, limit);
        reads.push([after, page.length]);
        return page;
      },
    } as EventStore);

  it('reads a long stream in pages, and lets other work run in between', async () => {
    let turns = 0;
    let reading = true;
    const others = (async () => {
      for (; reading; turns += 1) await new Promise(setImmediate);
    })();
    const folded = await newReader().newest(sums(), stream);
    reading = false;
    await others;
    expect(folded).toMatchObject({ state: WHOLE, version: LENGTH });
    expect(Math.max(...reads.map(([, count]) => count))).toBeLessThanOrEqual(500);
    expect(turns).toBeGreaterThanOrEqual(reads.length - 2);
  });

  it('does not read cached events again', async () => {
    const reader = newReader();
    const fold = sums();
    const folded = await reader.newest(fold, stream);
    reads = [];
    await expect(reader.newest(fold, stream)).resolves.toEqual(folded);
    expect(reads).toEqual([[LENGTH, 0]]);
  });

  it('reads a long stream once, however many callers ask for it before it is done', async () => {
    const reader = newReader();
    const fold = sums();
    const atOnce = Array.from({ length: 5 }, () => reader.newest(fold, stream));
    await new Promise(setImmediate);
    const onTheWay = Array.from({ length: 5 }, () => reader.newest(fold, stream));
    for (const folded of await Promise.all([...atOnce, ...onTheWay])) expect(folded.state).toEqual(WHOLE);
    const passed = reads.filter(([after, count]) => after > 0 && count > 0).map(([after]) => after);
    expect(passed).toEqual([...new Set(passed)]);
  });

  it('evicts the least recently used fold at the limit that the fold declares', async () => {
    const reader = newReader();
    const fold = { ...sums(), kept: 2 };
    const names = ['sums-one', 'sums-two', 'sums-three'];
    for (const name of names) {
      await store.append(name, 0, newEvents(1));
      await reader.newest(fold, name);
    }
    expect(names.map((name) => reader.known(fold, name)?.version)).toEqual([undefined, 1, 1]);
    expect((await reader.newest(fold, 'sums-one')).version).toBe(1);
  });

  it('keeps the folds of two readers of one stream apart', async () => {
    const reader = newReader();
    const counts: Fold<number, Happened> = { category: 'sums' as Category, initial: 0, evolve: (count) => count + 1 };
    const [sum, count] = await Promise.all([reader.newest(sums(), stream), reader.newest(counts, stream)]);
    expect([sum.state, count.state]).toEqual([WHOLE, LENGTH]);
  });

  it('shows a caller that waited for another’s long read what was written meanwhile', async () => {
    const reader = newReader();
    const fold = sums();
    const name = 'sums-growing';
    await store.append(name, 0, newEvents(600));
    const first = reader.newest(fold, name);
    await new Promise(setImmediate);
    await store.append(name, 600, newEvents(1));
    expect((await reader.newest(fold, name)).version).toBe(601);
    expect((await first).version).toBeGreaterThanOrEqual(600);
  });

  it('continues after a failure where it stopped', async () => {
    const reader = newReader();
    const fold = sums();
    failing = true;
    const asked = await Promise.allSettled([reader.newest(fold, stream), reader.newest(fold, stream)]);
    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    failing = false;
    reads = [];
    await expect(reader.newest(fold, stream)).resolves.toMatchObject({ state: WHOLE });
    expect(reads[0]?.[0]).toBeGreaterThan(1_000);
  });
});
