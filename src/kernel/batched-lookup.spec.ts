import { BatchedLookup } from './batched-lookup';

describe('batched lookups', () => {
  const asking = () => {
    const asked: string[][] = [];
    const answer = async (keys: readonly (readonly [string])[]): Promise<readonly string[]> => {
      asked.push(keys.map(([key]) => key));
      await new Promise(setImmediate);
      return keys.map(([key]) => `answer to ${key}`);
    };
    return { asked, gathered: new BatchedLookup(answer, 3) };
  };

  it('run together, each key once, and every caller gets its own result', async () => {
    const { asked, gathered } = asking();
    const answers = await Promise.all(['a', 'b', 'a'].map((key) => gathered.get([key])));
    expect(answers).toEqual(['answer to a', 'answer to b', 'answer to a']);
    expect(asked).toEqual([['a', 'b']]);
  });

  it('run after those in flight, and never return what was found before the call', async () => {
    const { asked, gathered } = asking();
    const first = gathered.get(['a']);
    await new Promise(setImmediate);
    const second = gathered.get(['a']);
    await Promise.all([first, second]);
    expect(asked).toEqual([['a'], ['a']]);
  });

  it('are split into several batches if there are too many, and fail together with their batch', async () => {
    const { asked, gathered } = asking();
    await Promise.all(['a', 'b', 'c', 'd'].map((key) => gathered.get([key])));
    expect(asked).toEqual([['a', 'b', 'c'], ['d']]);
    const failing = new BatchedLookup<readonly [string], string>(() => Promise.reject(new Error('away')));
    await expect(failing.get(['a'])).rejects.toThrow('away');
  });
});
