import { getActiveResourcesInfo } from 'node:process';
import { endsWithin } from './pause';

const timers = (): number => getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
const NEVER = new Promise(() => undefined);
const A_LONG_TIME = 3_600_000;

describe('endsWithin', () => {
  it('says that the work ended, and leaves no timer behind', async () => {
    const before = timers();
    expect(await endsWithin(A_LONG_TIME, Promise.resolve())).toBe(true);
    expect(timers()).toBe(before);
  });

  it('rejects as the work does, and leaves no timer behind', async () => {
    const before = timers();
    await expect(endsWithin(A_LONG_TIME, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(timers()).toBe(before);
  });

  it('waits no longer than the given time', async () => {
    expect(await endsWithin(1, NEVER)).toBe(false);
  });
});
