import { QueryObserver } from '@tanstack/react-query';
import { newQueryClient } from './query-client.ts';

describe('the cache', () => {
  /** Shows what the given reads return, in turn; each waits until it is told to end. */
  function showing() {
    const queries = newQueryClient();
    const reads: ((value: string) => void)[] = [];
    const queryFn = () => new Promise<string>((resolve) => void reads.push(resolve));
    const observer = new QueryObserver(queries, { queryKey: ['payments'], queryFn });
    const stop = observer.subscribe(() => undefined);
    const shown = () => observer.getCurrentResult().data;
    const end = async (read: number, value: string): Promise<void> => {
      reads[read]?.(value);
      await settle();
    };
    return { queries, reads, shown, end, stop };
  }
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setTimeout(resolve, 0));
  };
  const predicate = ({ queryKey }: { queryKey: readonly unknown[] }): boolean => queryKey[0] === 'payments';

  it('reads again what changed while it was read for the first time', async () => {
    const { queries, reads, shown, end, stop } = showing();
    const invalidated = Promise.all([1, 2, 3].map(() => queries.invalidateQueries({ predicate })));
    await end(0, 'as it was');
    expect([shown(), reads.length]).toEqual(['as it was', 2]);
    await end(1, 'as it is');
    await invalidated;
    expect([shown(), reads.length]).toEqual(['as it is', 2]);
    stop();
  });

  it('reads once more what changed while it was read again, and nothing that did not change', async () => {
    const { queries, reads, shown, end, stop } = showing();
    await end(0, 'first');
    void queries.invalidateQueries({ predicate });
    void queries.invalidateQueries({ predicate });
    await end(1, 'cancelled');
    await end(2, 'second');
    await queries.invalidateQueries({ queryKey: ['policies'] });
    expect([shown(), reads.length]).toEqual(['second', 3]);
    stop();
  });
});
