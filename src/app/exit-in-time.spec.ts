import { exitInTime } from './exit-in-time';

describe('the end of a process that was asked to stop', () => {
  const endOf = async (stopped: Promise<void>, timeoutMs = 60_000) => {
    const exits: (number | undefined)[] = [];
    const said: string[] = [];
    const logger = { error: (_fields: object, message: string) => void said.push(message) };
    await exitInTime(stopped, logger, (code) => void exits.push(code), timeoutMs);
    return { exits, said };
  };

  it('keeps the exit code that a failure has set', async () => {
    expect(await endOf(Promise.resolve())).toEqual({ exits: [undefined], said: [] });
  });

  it('leaves that code to Node, which takes an undefined one for success', async () => {
    const exit = jest.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
    try {
      await exitInTime(Promise.resolve(), { error: () => undefined });
      expect(exit.mock.calls.map(({ length }) => length)).toEqual([0]);
    } finally {
      exit.mockRestore();
    }
  });

  it('is a failure if stopping fails', async () => {
    expect(await endOf(Promise.reject(new Error('no')))).toEqual({ exits: [1], said: ['stopping failed'] });
  });

  it('comes even if stopping never ends', async () => {
    const { exits, said } = await endOf(new Promise(() => undefined), 1);
    expect(exits).toEqual([1]);
    expect(said).toEqual([expect.stringContaining('took too long')]);
  });
});
