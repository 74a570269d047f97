import { LookupQueue } from './lookup-queue';
import { isRecentEnough, pauseBefore } from './lookup-schedule';

const at = (seconds: number): Date => new Date(Date.UTC(2030, 0, 1) + seconds * 1_000);

describe('the delays between lookups', () => {
  it('begin with at most five seconds, grow, and end after an hour', () => {
    const pauses: number[] = [];
    for (let now = 0; ;) {
      const pause = pauseBefore(at(0), at(now));
      if (pause === undefined) break;
      pauses.push(pause);
      now += pause / 1_000;
    }
    expect(pauses[0]).toBeLessThanOrEqual(5_000);
    expect([...pauses.slice(0, -1)].sort((one, other) => one - other)).toEqual(pauses.slice(0, -1));
    expect(pauses.length).toBeLessThan(40);
    expect(pauses.reduce((sum, pause) => sum + pause)).toBeGreaterThanOrEqual(3_600_000);
  });
  it('are longer for what the network does not know, and end after twenty minutes', () => {
    expect(pauseBefore(at(0), at(0), 'not_found')).toBeLessThanOrEqual(5_000);
    expect(pauseBefore(at(0), at(600), 'not_found')).toBe(600_000);
    expect(pauseBefore(at(0), at(300), 'not_found')).toBe(300_000);
    expect(pauseBefore(at(0), at(300), 'unclear')).toBe(150_000);
    expect(pauseBefore(at(0), at(1_200), 'not_found')).toBeUndefined();
  });
  it('end an hour after the start', () => {
    expect(pauseBefore(at(0), at(3_599))).toBeGreaterThan(0);
    expect(pauseBefore(at(0), at(3_600))).toBeUndefined();
  });
  it('are not the shortest until the old time has come again, where the clock was set back', () => {
    expect(pauseBefore(at(1), at(0))).toBeLessThanOrEqual(5_000);
    expect(pauseBefore(at(24 * 3_600), at(0))).toBe(600_000);
    expect(pauseBefore(at(60), at(0))).toBe(30_000);
  });
  it('follow one lookup for what began up to a week ago', () => {
    const week = 7 * 24 * 3_600;
    expect(isRecentEnough(at(0).toISOString(), at(week - 1))).toBe(true);
    expect(isRecentEnough(at(0).toISOString(), at(week))).toBe(false);
  });
});

describe('the lookup queue', () => {
  const turn = (): Promise<void> => new Promise(setImmediate);

  it('looks up once what the first lookup settles', async () => {
    const looked: string[] = [];
    const queue = new LookupQueue(async (stream) => void looked.push(stream));
    queue.add('one', at(0), 'mer_1');
    queue.add('two', at(0), 'mer_1');
    await turn();
    expect(looked).toEqual(['one', 'two']);
    expect(queue.size).toBe(0);
    await queue.stop();
  });

  it('repeats the lookup after the delay, and at once on request', async () => {
    const looked: string[] = [];
    const queue = new LookupQueue(async (stream) => {
      looked.push(stream);
      return looked.length < 3 ? { afterMs: looked.length === 1 ? 1 : 1_000_000 } : undefined;
    });
    queue.add('one', at(0), 'mer_1');
    while (looked.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    await turn();
    expect(queue.size).toBe(1);
    queue.add('one', at(1), 'mer_1');
    await turn();
    expect(looked).toHaveLength(3);
    expect(queue.size).toBe(0);
    await queue.stop();
  });

  it('repeats the lookup when asked during one', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    let looks = 0;
    const queue = new LookupQueue(async () => {
      looks += 1;
      if (looks === 1) await gate;
      return undefined;
    });
    queue.add('one', at(0), 'mer_1');
    queue.add('one', at(1), 'mer_1');
    release();
    while (looks < 2) await turn();
    await turn();
    expect(queue.size).toBe(0);
    await queue.stop();
  });

  it('lets no slow lookup hold up another', async () => {
    const looked: string[] = [];
    const queue = new LookupQueue(async (stream, _since, signal) => {
      if (stream === 'slow') await new Promise((resolve) => signal.addEventListener('abort', resolve));
      looked.push(stream);
      return undefined;
    });
    queue.add('slow', at(0), 'mer_1');
    for (let n = 0; n < 500; n += 1) queue.add(`quick-${n}`, at(0), 'mer_1');
    while (looked.length < 500) await turn();
    expect(looked).not.toContain('slow');
    await queue.stop();
  });

  it('looks up no more than 64 at once, and the others as soon as there is room', async () => {
    const ends: (() => void)[] = [];
    const queue = new LookupQueue(() => new Promise((resolve) => ends.push(() => resolve(undefined))));
    for (let n = 0; n < 66; n += 1) queue.add(`slow-${n}`, at(0), `mer_${n % 2}`);
    await turn();
    expect(ends).toHaveLength(64);
    ends[0]?.();
    await turn();
    expect(ends).toHaveLength(65);
    for (let n = 1; n < 66; n += 1) {
      ends[n]?.();
      await turn();
    }
    expect([ends.length, queue.size]).toEqual([66, 0]);
    await queue.stop();
  });

  it('looks up again what was asked for again during a look, whatever its clock said', async () => {
    const ends: (() => void)[] = [];
    const queue = new LookupQueue(() => new Promise((resolve) => ends.push(() => resolve(undefined))));
    queue.add('payment', at(5), 'mer_1');
    queue.add('payment', at(4), 'mer_1');
    ends[0]?.();
    await turn();
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await turn();
    expect(queue.size).toBe(0);
    await queue.stop();
  });

  it('takes turns by merchant, and looks up first what it never looked up', async () => {
    const looked: string[] = [];
    const ends: (() => void)[] = [];
    const queue = new LookupQueue((stream) => {
      looked.push(stream);
      return new Promise((resolve) => ends.push(() => resolve(stream === 'made-up-0' ? { afterMs: 0 } : undefined)));
    });
    for (let n = 0; n < 200; n += 1) queue.add(`made-up-${n}`, at(0), 'mer_many');
    // The others of this merchant wait until one of its lookups has ended.
    expect(looked).toHaveLength(48);
    queue.add('honest', at(0), 'mer_one');
    expect(looked.at(-1)).toBe('honest');
    ends[0]?.();
    await new Promise((resolve) => setTimeout(resolve, 5));
    // It is looked up again after the others, though its pause is over.
    expect(looked.at(-1)).toBe('made-up-48');
    for (let n = 1; n < ends.length; n += 1) {
      ends[n]?.();
      await turn();
    }
    expect(looked).toHaveLength(202);
    expect(looked.at(-1)).toBe('made-up-0');
    expect(queue.size).toBe(1);
    await queue.stop();
  });

  it('looks up what is new before what is looked up again, also where that has waited longer', async () => {
    const looked: string[] = [];
    const ends = new Map<string, () => void>();
    const queue = new LookupQueue((stream) => {
      looked.push(stream);
      return new Promise((resolve) => ends.set(stream, () => resolve(stream === 'old' ? { afterMs: 0 } : undefined)));
    });
    queue.add('old', at(0), 'mer_1');
    ends.get('old')?.();
    for (let n = 0; n < 48; n += 1) queue.add(`slow-${n}`, at(0), 'mer_1');
    await new Promise((resolve) => setTimeout(resolve, 5));
    queue.add('new', at(0), 'mer_1');
    for (const end of ends.values()) end();
    await turn();
    expect(looked.indexOf('new')).toBeLessThan(looked.lastIndexOf('old'));
    expect(looked.filter((stream) => stream === 'old')).toHaveLength(2);
    const stopped = queue.stop();
    for (const end of ends.values()) end();
    await stopped;
  });

  describe('at a server that has had enough', () => {
    beforeEach(() => void jest.useFakeTimers());
    afterEach(() => void jest.useRealTimers());

    it('asks nothing before the pause is over, and then one by one, each merchant in its turn', async () => {
      const looked: string[] = [];
      let budget = 0;
      const queue = new LookupQueue(async (stream) => {
        looked.push(stream);
        budget -= 1;
        return budget < 0 ? { serverPauseMs: 10_000 } : undefined;
      });
      for (let n = 0; n < 200; n += 1) queue.add(`made-up-${n}`, at(0), 'mer_many');
      await jest.advanceTimersByTimeAsync(0);
      expect(looked).toHaveLength(48);
      queue.add('honest', at(0), 'mer_one');
      budget = 3;
      await jest.advanceTimersByTimeAsync(9_999);
      expect(looked).toHaveLength(48);
      await jest.advanceTimersByTimeAsync(1);
      expect(looked.slice(48, 50).sort()).toEqual(['honest', 'made-up-48']);
      // Nothing is given up because the server did not answer.
      budget = 1_000;
      await jest.advanceTimersByTimeAsync(60_000);
      expect(new Set(looked).size).toBe(201);
      expect(queue.size).toBe(0);
      await queue.stop();
    });

    it('asks one at a time after the pause, and more with each answer', async () => {
      const ends: (() => void)[] = [];
      let refusing = true;
      const queue = new LookupQueue(() =>
        refusing
          ? Promise.resolve({ serverPauseMs: 10_000 })
          : new Promise((resolve) => ends.push(() => resolve(undefined))),
      );
      for (let n = 0; n < 100; n += 1) queue.add(`one-${n}`, at(0), `mer_${n}`);
      await jest.advanceTimersByTimeAsync(0);
      refusing = false;
      await jest.advanceTimersByTimeAsync(10_000);
      expect(ends).toHaveLength(1);
      ends[0]?.();
      await jest.advanceTimersByTimeAsync(0);
      expect(ends).toHaveLength(3);
      const stopped = queue.stop();
      for (const end of ends) end();
      await stopped;
    });

    it('ends the pause when it is stopped', async () => {
      const queue = new LookupQueue(async () => ({ serverPauseMs: 10_000 }));
      queue.add('one', at(0), 'mer_1');
      await jest.advanceTimersByTimeAsync(0);
      await queue.stop();
      expect(jest.getTimerCount()).toBe(0);
    });
  });

  describe('with a lookup scheduled for later', () => {
    beforeEach(() => void jest.useFakeTimers());
    afterEach(() => void jest.useRealTimers());

    it('does not repeat it then if it was asked for earlier', async () => {
      const looked: Date[] = [];
      const queue = new LookupQueue(async (_stream, since) => {
        looked.push(since);
        return looked.length === 1 ? { afterMs: 1_000 } : undefined;
      });
      queue.add('one', at(0), 'mer_1');
      await jest.advanceTimersByTimeAsync(999);
      // An event that is read again, after a restart for instance, does not turn back the time it is watched from.
      queue.add('one', at(-1), 'mer_1');
      await jest.advanceTimersByTimeAsync(10_000);
      expect(looked).toEqual([at(0), at(0)]);
      await queue.stop();
    });

    it('never makes it once it is stopped', async () => {
      let looks = 0;
      const queue = new LookupQueue(async () => {
        looks += 1;
        return { afterMs: 1_000 };
      });
      queue.add('one', at(0), 'mer_1');
      await jest.advanceTimersByTimeAsync(0);
      await queue.stop();
      queue.add('two', at(0), 'mer_1');
      await jest.advanceTimersByTimeAsync(10_000);
      expect(looks).toBe(1);
      expect(jest.getTimerCount()).toBe(0);
    });
  });

  it('ends when the lookups in flight have ended', async () => {
    let end = (): void => undefined;
    const queue = new LookupQueue(() => new Promise((resolve) => (end = () => resolve(undefined))));
    queue.add('one', at(0), 'mer_1');
    let stopped = false;
    const stopping = queue.stop().then(() => (stopped = true));
    await turn();
    expect(stopped).toBe(false);
    end();
    await stopping;
  });
});
