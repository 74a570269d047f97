import { OutcomeRecorder } from './outcome-recorder';

describe('the outcome recorder', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const recorder = () => {
    const written: (readonly number[])[] = [];
    const outcomes = new OutcomeRecorder<number>(async (items) => {
      written.push(items);
      return true;
    });
    return { written, add: (item: number) => outcomes.add(item), outcomes };
  };
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('is recorded soon where there is one at a time', async () => {
    const { written, add } = recorder();
    for (const one of [1, 2, 3]) {
      void add(one);
      await pass(5);
      await pass(100);
    }
    expect(written).toEqual([[1], [2], [3]]);
  });

  it('is recorded together with what comes within a few milliseconds', async () => {
    const { written, add } = recorder();
    void add(1);
    await pass(2);
    void add(2);
    await pass(3);
    expect(written).toEqual([[1, 2]]);
  });

  it('is batched for longer while there are many outcomes, and briefly again after that', async () => {
    const { written, add } = recorder();
    for (let ms = 0; ms < 100; ms += 1) {
      void add(ms);
      await pass(1);
    }
    expect(written.flat()).toEqual(Array.from({ length: written.flat().length }, (_, at) => at));
    expect(written.length).toBeLessThanOrEqual(6);
    await pass(1_000);
    expect(written.flat()).toHaveLength(100);
    written.length = 0;
    void add(1_000);
    await pass(20);
    void add(1_001);
    await pass(5);
    expect(written).toEqual([[1_000], [1_001]]);
  });

  it('is recorded even if a notified caller adds the next one at once', async () => {
    const { written, add, outcomes } = recorder();
    void add(1).then(() => add(2));
    await pass(100);
    expect([written, outcomes.unrecorded]).toEqual([[[1], [2]], 0]);
  });

  it('comes in several events where there is more than one holds', async () => {
    const { written, add, outcomes } = recorder();
    for (let at = 0; at < 600; at += 1) void add(at);
    expect(outcomes.unrecorded).toBe(600);
    await pass(5);
    // The second batch is full, so it follows at once.
    expect(written.map(({ length }) => length)).toEqual([250, 250]);
    await pass(20);
    expect(written.map(({ length }) => length)).toEqual([250, 250, 100]);
    expect(outcomes.unrecorded).toBe(0);
  });
});
