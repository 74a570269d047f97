import { type ToolContext } from '../tool.ts';
import { waitForPayment } from './following.ts';

const HOUR_MS = 3_600_000;

describe('wait_for_payment, while the machine’s clock is set', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it.each([
    ['goes on', 'forward', HOUR_MS, 'final', 2],
    ['ends within 50 s', 'back', -HOUR_MS, 'still_waiting', 26],
  ])('%s if it is set %s, and reports growing progress', async (_ends, _way, byMs, outcome, enough) => {
    let reads = 0;
    const steps: number[] = [];
    const read = async () => {
      if ((reads += 1) === 2 - Number(byMs > 0)) jest.setSystemTime(Date.now() + byMs);
      return { shown: { request_id: 'pr_1', status: 'pending', is_final: reads === enough }, waitsFor: 'the person' };
    };
    const progress = async ({ progress: step }: { progress: number }) => void steps.push(step);
    const context = { payments: { read }, progress, signal: new AbortController().signal };
    const ended = waitForPayment.run({ request_id: 'pr_1' } as never, context as unknown as ToolContext);
    await jest.advanceTimersByTimeAsync(100_000);
    expect((await ended).structured).toMatchObject({ outcome });
    expect(steps).toEqual([...steps].sort((one, other) => one - other));
  });
});
