import { Progress } from './progress';

describe('progress of the read model', () => {
  const settled = (waiting: Promise<void>): Promise<string> =>
    Promise.race([waiting.then(() => 'passed'), new Promise<string>((resolve) => setImmediate(resolve, 'waits'))]);

  const begun = (): Progress => {
    const progress = new Progress();
    progress.restart(0n);
    return progress;
  };

  it('lets nobody go on before it has begun', async () => {
    const progress = new Progress();
    const waiting = progress.passed(0n);
    expect([await settled(waiting), progress.isTrusted, progress.lacks(0n)]).toEqual(['waits', false, true]);
    progress.restart(0n);
    expect([await settled(waiting), progress.isTrusted, progress.lacks(0n)]).toEqual(['passed', true, false]);
  });

  it('wakes callers that wait for a reached position, and no others', async () => {
    const progress = begun();
    const [near, far] = [progress.passed(5n), progress.passed(9n)];
    progress.advance(7n);
    progress.advance(6n);
    expect([await settled(near), await settled(far), progress.position]).toEqual(['passed', 'waits', 7n]);
    progress.advance(9n);
    await far;
  });

  it('wakes callers that waited for what another instance has written, when it restarts from there', async () => {
    const progress = begun();
    const waiting = progress.passed(5n);
    progress.restart(7n);
    expect(await settled(waiting)).toBe('passed');
  });

  it('starts over after a reset', async () => {
    const progress = begun();
    progress.advance(7n);
    progress.restart(0n);
    const waiting = progress.passed(5n);
    expect(await settled(waiting)).toBe('waits');
    progress.advance(5n);
    await waiting;
  });

  it('includes a foreign event once all of our events before it are shown', async () => {
    const progress = begun();
    progress.advance(4n, 1);
    progress.passOver(5n, 0);
    expect(progress.position).toBe(5n);
    progress.passOver(9n, 3);
    const waiting = progress.passed(9n);
    progress.advance(7n, 2);
    expect([await settled(waiting), progress.position]).toEqual(['waits', 7n]);
    progress.advance(8n, 1);
    expect([await settled(waiting), progress.position]).toEqual(['passed', 9n]);
  });

  it('does not count foreign events that were skipped before a reset', () => {
    const progress = begun();
    progress.passOver(9n, 2);
    progress.restart(0n);
    progress.advance(3n, 2);
    expect(progress.position).toBe(3n);
  });

  it('lets nobody go on while it is in doubt, not even who waits for what was reached before', async () => {
    const progress = begun();
    progress.advance(7n);
    progress.doubt();
    const waiting = progress.passed(5n);
    progress.restart(8n);
    expect([await settled(waiting), progress.isTrusted]).toEqual(['waits', false]);
    progress.trust();
    expect([await settled(waiting), progress.isTrusted]).toEqual(['passed', true]);
  });

  it('does not go back for a foreign event before what is shown already', () => {
    const progress = begun();
    progress.restart(9n);
    progress.passOver(5n, 0);
    expect(progress.position).toBe(9n);
  });

  it('lets nobody go on while others change what reads show, until it starts over', async () => {
    const progress = begun();
    progress.advance(7n);
    progress.hide();
    const [old, later] = [progress.passed(5n), progress.passed(9n)];
    progress.advance(9n);
    progress.doubt();
    progress.trust();
    expect([await settled(old), progress.lacks(5n)]).toEqual(['waits', true]);
    progress.restart(6n);
    expect([await settled(old), await settled(later)]).toEqual(['passed', 'waits']);
    expect([progress.lacks(6n), progress.lacks(7n)]).toEqual([false, true]);
    progress.advance(9n);
    await later;
  });

  it('says that the log refused it, until it is trusted again', async () => {
    const progress = begun();
    progress.advance(7n);
    progress.doubt();
    expect([progress.lacks(7n), progress.isTrusted]).toEqual([false, false]);
    progress.refuse();
    expect([progress.lacks(7n), await settled(progress.passed(7n))]).toEqual([true, 'waits']);
    progress.trust();
    expect([progress.lacks(7n), progress.isTrusted]).toEqual([false, true]);
  });

  it('refuses to wait any longer after five seconds, only for those who waited that long', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      const progress = begun();
      const early = progress.passed(5n).catch((error: Error) => error.cause);
      jest.advanceTimersByTime(3_000);
      const late = progress.passed(5n);
      jest.advanceTimersByTime(2_000);
      expect(await early).toMatchObject({ message: 'projections are behind' });
      expect(await settled(late)).toBe('waits');
      progress.advance(5n);
      await late;
      // Not counted: what another test file left behind in this process may set timers as well.
      const sweep: unknown = Reflect.get(progress, 'sweep');
      expect(sweep).toBeDefined();
      const cleared = jest.spyOn(globalThis, 'clearInterval');
      jest.advanceTimersByTime(250);
      expect(cleared).toHaveBeenCalledWith(sweep);
      cleared.mockRestore();
    } finally {
      jest.useRealTimers();
    }
  });
});
