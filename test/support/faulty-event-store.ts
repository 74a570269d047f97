import { type EventStore, StoreUnavailable } from '../../src/platform/event-store/event-store.port';
import { pause } from '../../src/kernel/pause';
import { type Random } from './seeded';

const KINDS = ['before', 'after', 'hanging', 'late'] as const;
type Kind = (typeof KINDS)[number];

export type Faults = Readonly<{ met: Readonly<Record<Kind, number>>; end(): void }>;

/** A quarter of all appends go wrong: refused, done but reported as unknown, done but reported as hanging, or late. */
export function makeFaulty(store: EventStore, random: Random, percent = 25): Faults {
  const met: Record<Kind, number> = { before: 0, after: 0, hanging: 0, late: 0 };
  const really = store.append.bind(store);
  const spy = jest.spyOn(store, 'append').mockImplementation(async (...append) => {
    if (random.below(100) >= percent) return really(...append);
    const kind = random.pick(KINDS);
    met[kind] += 1;
    if (kind === 'before') throw new StoreUnavailable('unknown');
    if (kind === 'late') await pause(random.below(50));
    const result = await really(...append);
    if (kind === 'late') return result;
    throw new StoreUnavailable(kind === 'after' ? 'unknown' : 'hanging');
  });
  return { met, end: () => spy.mockRestore() };
}
