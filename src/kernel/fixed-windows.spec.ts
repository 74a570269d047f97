import { FixedWindows } from './fixed-windows';

describe('fixed windows', () => {
  it('count the uses of each key from its first use on, and start over when the time is up', () => {
    const windows = new FixedWindows(1_000, 10);
    const used = [0, 400, 999, 1_000, 1_999, 2_000].map((now) => ({ ...windows.use('a', now) }));
    expect(used).toEqual([
      { began: 0, used: 1 },
      { began: 0, used: 2 },
      { began: 0, used: 3 },
      { began: 1_000, used: 1 },
      { began: 1_000, used: 2 },
      { began: 2_000, used: 1 },
    ]);
    expect(windows.use('b', 2_001, 7)).toEqual({ began: 2_001, used: 7 });
    expect(windows.use('a', 2_002, 5).used).toBe(6);
  });

  it('drop the oldest keys when there are too many, and restarted ones last', () => {
    const windows = new FixedWindows(1_000, 3);
    windows.use('a', 0);
    windows.use('b', 10);
    windows.use('a', 1_000);
    windows.use('c', 1_001);
    windows.use('d', 1_002);
    windows.use('e', 1_003);
    expect([windows.use('d', 1_004).used, windows.use('e', 1_004).used, windows.use('a', 1_004).used]).toEqual([
      2, 2, 1,
    ]);
  });

  it('do not last longer because the clock was set back', () => {
    const windows = new FixedWindows(1_000, 3);
    for (const key of ['a', 'b']) windows.use(key, 1_000_000, 9);
    expect(windows.use('a', 500)).toEqual({ began: 500, used: 1 });
    windows.use('c', 501);
    windows.use('d', 502);
    expect(['a', 'c', 'd'].map((key) => windows.use(key, 503).used)).toEqual([2, 2, 2]);
  });
});
