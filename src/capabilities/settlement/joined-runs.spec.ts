import { JoinedRuns } from './joined-runs';

const turn = (): Promise<void> => new Promise(setImmediate);

describe('runs that are joined', () => {
  let begun: string[];
  let ends: ((failure?: Error) => void)[];
  let runs: JoinedRuns<number>;

  beforeEach(() => {
    [begun, ends] = [[], []];
    runs = new JoinedRuns((key, members) => {
      begun.push(`${key}: ${members.join(' ')}`);
      const number = begun.length;
      return new Promise((resolve, reject) => ends.push((failure) => (failure ? reject(failure) : resolve(number))));
    });
  });

  it('are one for all that join before it begins, and the next for those that join while it is under way', async () => {
    const [one, two] = [runs.join('k', 'a'), runs.join('k', 'b')];
    await turn();
    const [three, four] = [runs.join('k', 'c'), runs.join('k', 'd')];
    await turn();
    expect(begun).toEqual(['k: a b']);
    ends[0]?.();
    expect(await Promise.all([one, two])).toEqual([1, 1]);
    await turn();
    expect(begun).toEqual(['k: a b', 'k: c d']);
    ends[1]?.();
    expect(await Promise.all([three, four])).toEqual([2, 2]);
    void runs.join('k', 'e');
    await turn();
    expect(begun.at(-1)).toBe('k: e');
  });

  it('do not wait for other keys, nor for a run that failed', async () => {
    const failing = runs.join('k', 'a');
    void runs.join('other', 'b');
    await turn();
    expect(begun).toEqual(['k: a', 'other: b']);
    const next = runs.join('k', 'c');
    ends[0]?.(new Error('away'));
    await expect(failing).rejects.toThrow('away');
    await turn();
    ends[2]?.();
    expect(await next).toBe(3);
  });
});
