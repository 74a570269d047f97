import { pause } from '../../kernel/pause';
import { roughPause } from '../../kernel/rough-pause';
import { LEASE_VALID_MS, LeaseLoop, RENEW_INTERVAL_MS, TAKEOVER_AFTER_MS } from './lease-loop';

jest.mock('../../kernel/pause');
jest.mock('../../kernel/rough-pause');

describe('what keeps leases', () => {
  let time: number;
  let waits: number[];
  let warnings: unknown[];
  let loop: LeaseLoop;
  let stopped: Promise<unknown> | undefined;

  beforeEach(() => {
    time = 1_000;
    waits = [];
    warnings = [];
    // Waiting takes exactly as long as it should, by the loop's own clock; the loop ends with every fifth wait.
    const wait = async (milliseconds: number): Promise<void> => {
      waits.push(milliseconds);
      time += milliseconds;
      if (waits.length % 5 === 0) stopped = loop.stop();
    };
    jest.mocked(pause).mockImplementation(wait);
    jest.mocked(roughPause).mockImplementation(wait);
    const clocks = { steady: () => time, wall: () => time };
    const log = { info: () => undefined, warn: ({ err }: { err?: unknown }) => void warnings.push(err) };
    loop = new LeaseLoop(log, clocks, 'failed');
  });

  const untilStopped = async (): Promise<void> => {
    while (loop.isRunning) await new Promise(setImmediate);
    await stopped;
  };
  const pollsThatTake = async (milliseconds: number): Promise<readonly number[]> => {
    const begun: number[] = [];
    await loop.start(
      async () => {
        begun.push(time);
        time += milliseconds;
      },
      () => RENEW_INTERVAL_MS,
    );
    await untilStopped();
    return begun;
  };

  it.each([
    [0, [500, 500, 500, 500, 500]],
    [400, [100, 100, 100, 100, 100]],
    [700, [0, 0, 0, 0, 0]],
  ])('polls as often if a poll takes %s ms: a slow store must not cost the lease', async (takes, expected) => {
    const begun = await pollsThatTake(takes);
    expect(waits).toEqual(expected);
    expect(begun).toEqual([0, 1, 2, 3, 4].map((poll) => 1_000 + poll * Math.max(takes, RENEW_INTERVAL_MS)));
  });

  it('polls on after a failure, one poll after the other, and once however often it is started', async () => {
    let running = 0;
    let polls = 0;
    const poll = async (): Promise<void> => {
      polls += 1;
      running += 1;
      await new Promise(setImmediate);
      expect(running).toBe(1);
      running -= 1;
      throw new Error(`poll ${polls}`);
    };
    await Promise.all([loop.start(poll, () => 1), loop.start(poll, () => 1)]);
    await untilStopped();
    expect([polls, warnings.length]).toEqual([5, 5]);
  });

  it('can be started again after a stop', async () => {
    expect(await pollsThatTake(0)).toHaveLength(5);
    await pollsThatTake(0);
    expect([waits.length, loop.isRunning]).toEqual([10, false]);
  });

  it('ends for its holder before others take it', () => expect(LEASE_VALID_MS).toBeLessThan(TAKEOVER_AFTER_MS));
});
