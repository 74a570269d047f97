import { SvcTimeoutError } from './errors.ts';
import { Account } from './node/cli/account.ts';
import { type Command } from './node/cli/command.ts';
import { EXIT } from './node/cli/exit-codes.ts';
import { waitForPayment } from './node/cli/payments.ts';
import { pollUntil } from './waiting.ts';

const HOUR_MS = 3_600_000;

describe('a wait during which the machine’s clock is set', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });
  const setClock = (byMs: number): void => void jest.setSystemTime(Date.now() + byMs);

  it('goes on if the clock is set forward, and ends in time if it is set back', async () => {
    let reads = 0;
    const poll = (byMs: number, enough: number) => async () => {
      if ((reads += 1) === 1) setClock(byMs);
      return reads === enough ? { found: 'a decision' } : { last: undefined };
    };
    const found = pollUntil(poll(HOUR_MS, 2), 'a decision', { timeoutMs: 10_000 });
    await Promise.all([expect(found).resolves.toBe('a decision'), jest.advanceTimersByTimeAsync(10_000)]);
    reads = 0;
    const late = pollUntil(poll(-HOUR_MS, 15), 'a decision', { timeoutMs: 10_000 });
    await Promise.all([expect(late).rejects.toThrow(SvcTimeoutError), jest.advanceTimersByTimeAsync(20_000)]);
  });

  it.each([
    ['goes on', 'forward', HOUR_MS, EXIT.ok, 2],
    ['ends in time', 'back', -HOUR_MS, EXIT.undecided, 15],
  ])('%s in the command if it is set %s', async (_ends, _way, byMs, code, enough) => {
    let reads = 0;
    const read = async () => {
      if ((reads += 1) === 1) setClock(byMs);
      return { is_final: reads === enough, status: 'confirmed' };
    };
    const client = { payments: { read } };
    jest.spyOn(Account.prototype, 'merchantOrAgent').mockReturnValue(client as never);
    const terminal = { env: {}, out: () => undefined, signal: new AbortController().signal };
    const values = { timeout: '10', json: true };
    const call = { words: ['pr_1'], values, terminal } as unknown as Parameters<Command['run']>[0];
    const ended = waitForPayment.run(call);
    await Promise.all([expect(ended).resolves.toBe(code), jest.advanceTimersByTimeAsync(20_000)]);
  });
});
