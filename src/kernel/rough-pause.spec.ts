import { roughInterval, roughPause } from './rough-pause';

const STEP_MS = 250;

describe('a rough pause', () => {
  let now: number;
  const pass = async (milliseconds: number): Promise<void> => {
    now += milliseconds;
    await jest.advanceTimersByTimeAsync(milliseconds);
  };
  const never = new AbortController().signal;
  const ended = (pause: Promise<void>): (() => boolean) => {
    let hasEnded = false;
    void pause.then(() => (hasEnded = true));
    return () => hasEnded;
  };
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    now = 10_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('ends together with others, whenever they began, so that the process wakes once', async () => {
    const first = ended(roughPause(1_000, never));
    await pass(60);
    const second = ended(roughPause(1_000, never));
    const third = ended(roughPause(500, never));
    expect(jest.getTimerCount()).toBe(2);
    await pass(440);
    expect([first(), second(), third()]).toEqual([false, false, true]);
    await pass(499);
    expect([first(), second()]).toEqual([false, false]);
    await pass(1);
    expect([first(), second()]).toEqual([true, true]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('keeps its period when the work in between takes a moment', async () => {
    const times: number[] = [];
    const stop = roughInterval(() => {
      times.push(now);
      now += 3;
    }, STEP_MS);
    for (let turn = 0; turn < 4; turn += 1) await pass(STEP_MS - (turn === 0 ? 0 : 3));
    stop();
    expect(times).toEqual([10_250, 10_500, 10_750, 11_000]);
  });

  it('ends with the other long ones, so that those who write at the same interval write together', async () => {
    const [one, other] = [ended(roughPause(500, never)), (await pass(240), ended(roughPause(495, never)))];
    expect(jest.getTimerCount()).toBe(1);
    await pass(259);
    expect([one(), other()]).toEqual([false, false]);
    await pass(1);
    expect([one(), other()]).toEqual([true, true]);
  });

  it('is never over at once, however short', async () => {
    await pass(100);
    const over = ended(roughPause(0, never));
    await pass(149);
    expect(over()).toBe(false);
    await pass(1);
    expect(over()).toBe(true);
  });

  it('ends early and leaves no timer when it is aborted, and only that one', async () => {
    const stopping = new AbortController();
    const [aborted, other] = [ended(roughPause(500, stopping.signal)), ended(roughPause(500, never))];
    stopping.abort();
    await pass(0);
    expect([aborted(), other()]).toEqual([true, false]);
    await pass(500);
    expect(other()).toBe(true);

    const again = new AbortController();
    void roughPause(500, again.signal);
    again.abort();
    expect(jest.getTimerCount()).toBe(0);
    await roughPause(500, again.signal);
  });

  it('does nothing more after a stop', async () => {
    let times = 0;
    const stop = roughInterval(() => (times += 1), STEP_MS);
    await pass(STEP_MS);
    stop();
    await pass(10 * STEP_MS);
    expect(times).toBe(1);
  });
});
