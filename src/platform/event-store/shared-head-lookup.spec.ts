import { type Position } from './event-store.port';
import { SharedHeadLookup } from './shared-head-lookup';

describe('a shared lookup of the end of the log', () => {
  const answers: ((position: Position) => void)[] = [];
  const failures: ((reason: Error) => void)[] = [];
  const look = (): Promise<Position> =>
    new Promise((resolve, reject) => {
      answers.push(resolve);
      failures.push(reject);
    });
  const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));
  beforeEach(() => {
    answers.length = 0;
    failures.length = 0;
  });

  it('serves all callers that arrive during a lookup with the next one', async () => {
    const looks = new SharedHeadLookup(look);
    const first = [looks.now(), looks.now()];
    await settle();
    const later = [looks.now(), looks.now()];
    await settle();
    expect(answers).toHaveLength(1);
    answers[0]?.(1n);
    expect(await Promise.all(first)).toEqual([1n, 1n]);
    await settle();
    expect(answers).toHaveLength(2);
    answers[1]?.(2n);
    expect(await Promise.all(later)).toEqual([2n, 2n]);
  });

  it('makes nobody wait forever behind a lookup that hangs, and reports a failure to those who waited for it', async () => {
    const looks = new SharedHeadLookup(look);
    const hanging = looks.now();
    await settle();
    const later = looks.now();
    while (answers.length < 2) await settle();
    answers[1]?.(7n);
    expect(await later).toBe(7n);
    failures[0]?.(new Error('away'));
    await expect(hanging).rejects.toThrow('away');
  });

  it('is replaced by an append that was sent after the call, and by no other', async () => {
    const looks = new SharedHeadLookup(look);
    const first = looks.now();
    await settle();
    const later = looks.now();
    looks.sent(Promise.resolve(9n));
    const tooLate = looks.now();
    expect(await later).toBe(9n);
    answers[0]?.(1n);
    expect(await first).toBe(1n);
    while (answers.length < 2) await settle();
    answers[1]?.(10n);
    expect(await tooLate).toBe(10n);
  });

  it.each([
    ['was refused', () => Promise.resolve(undefined)],
    ['failed', () => Promise.reject(new Error('away'))],
  ])('is made if the append %s', async (_, result) => {
    const append = result();
    append.catch(() => undefined);
    const looks = new SharedHeadLookup(look);
    const first = looks.now();
    await settle();
    const later = looks.now();
    looks.sent(append);
    answers[0]?.(1n);
    await first;
    while (answers.length < 2) await settle();
    answers[1]?.(3n);
    expect(await later).toBe(3n);
  });
});
