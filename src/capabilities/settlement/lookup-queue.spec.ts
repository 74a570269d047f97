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
  it('end an hour after the start', () => {
    expect(pauseBefore(at(0), at(3_599))).toBeGreaterThan(0);
    expect(pauseBefore(at(0), at(3_600))).toBeUndefined();
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
    queue.add('one', at(0));
    queue.add('two', at(0));
    await turn();
    expect(looked).toEqual(['one', 'two']);
    expect(queue.size).toBe(0);
    await queue.stop();
  });

  it('repeats the lookup after the delay, and at once on request', async () => {
    const looked: string[] = [];
    const queue = new LookupQueue(async (stream) => {
      looked.push(stream);
      return looked.length < 3 ? (looked.length === 1 ? 1 : 1_000_000) : undefined;
    });
    queue.add('one', at(0));
    while (looked.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    await turn();
    expect(queue.size).toBe(1);
    queue.add('one', at(1));
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
    queue.add('one', at(0));
    queue.add('one', at(1));
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
    queue.add('slow', at(0));
    for (let n = 0; n < 500; n += 1) queue.add(`quick-${n}`, at(0));
    while (looked.length < 500) await turn();
    expect(looked).not.toContain('slow');
    await queue.stop();
  });
});
