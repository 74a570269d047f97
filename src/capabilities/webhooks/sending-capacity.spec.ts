import { type CapacityUser, SendingCapacity } from './sending-capacity';

describe('the messages in flight over all endpoints', () => {
  const capacityOf = (overall: number) => new SendingCapacity({ attemptMs: 1, overall });
  const user = () => ({ onCapacityFreed: jest.fn() });
  /** Sends as many as it may, and returns how to end each. */
  const fill = (capacity: SendingCapacity, by: CapacityUser, failing = false): (() => void)[] => {
    const ends: (() => void)[] = [];
    while (capacity.isAvailableFor(by, failing)) ends.push(capacity.acquire(by, failing, true));
    return ends;
  };

  it('leave as much to others as one endpoint takes', () => {
    const capacity = capacityOf(8);
    expect([user(), user(), user(), user()].map((one) => fill(capacity, one).length)).toEqual([4, 2, 1, 1]);
    expect(fill(capacity, user())).toEqual([]);
  });

  it('are at most half to endpoints that fail, however many there are', () => {
    const capacity = capacityOf(8);
    const fillAll = () => Array.from({ length: 8 }, () => fill(capacity, user(), true)).flat();
    const ends = fillAll();
    expect(ends).toHaveLength(4);
    expect(capacity.isAvailableFor(user(), false)).toBe(true);
    for (const end of ends) end();
    expect(fillAll()).toHaveLength(4);
  });

  it('make room when they end, for those who had to wait and were not closed', () => {
    const capacity = capacityOf(2);
    const [waiting, closed] = [user(), user()];
    const [end] = [...fill(capacity, user()), ...fill(capacity, user())];
    for (const one of [waiting, closed]) expect(capacity.isAvailableFor(one, false)).toBe(false);
    capacity.forget(closed);
    end?.();
    expect([waiting, closed].map(({ onCapacityFreed }) => onCapacityFreed.mock.calls.length)).toEqual([1, 0]);
    expect(capacity.isAvailableFor(waiting, false)).toBe(true);
  });
});
