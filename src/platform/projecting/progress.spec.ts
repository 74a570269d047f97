import { Progress } from './progress';

describe('progress of the read model', () => {
  const settled = (waiting: Promise<void>): Promise<string> =>
    Promise.race([waiting.then(() => 'passed'), new Promise<string>((resolve) => setImmediate(resolve, 'waits'))]);

  it('lets go on who waits for what has been reached, and nobody else', async () => {
    const progress = new Progress();
    const [near, far] = [progress.passed(5n), progress.passed(9n)];
    progress.advance(7n);
    progress.advance(6n);
    expect([await settled(near), await settled(far), progress.position]).toEqual(['passed', 'waits', 7n]);
    progress.advance(9n);
    await far;
  });

  it('lets go on who waited for what another instance has written, when it takes up from there', async () => {
    const progress = new Progress();
    const waiting = progress.passed(5n);
    progress.restart(7n);
    expect(await settled(waiting)).toBe('passed');
  });

  it('begins anew after a reset', async () => {
    const progress = new Progress();
    progress.advance(7n);
    progress.restart(0n);
    const waiting = progress.passed(5n);
    expect(await settled(waiting)).toBe('waits');
    progress.advance(5n);
    await waiting;
  });
});
