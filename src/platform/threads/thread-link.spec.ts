import { MessageChannel } from 'node:worker_threads';
import { ThreadLink } from './thread-link';

describe('a link between two threads', () => {
  const { port1, port2 } = new MessageChannel();
  const here = new ThreadLink(port1);
  const there = new ThreadLink(port2);
  afterAll(() => port1.close());

  it('returns the response to the caller', async () => {
    there.answer<number>('twice', async (value) => value * 2);
    expect(await Promise.all([here.ask('twice', 2), here.ask('twice', 3)])).toEqual([4, 6]);
  });

  it('rejects requests before it is connected', async () => {
    const early = new ThreadLink();
    early.notify('news');
    await expect(early.ask('twice', 2)).rejects.toThrow('has not begun');
  });

  it('transfers log positions unchanged', async () => {
    there.answer('same', (value) => value);
    expect(await here.ask('same', { position: 2n ** 60n })).toEqual({ position: 2n ** 60n });
  });

  it('passes on a failure as a rejection', async () => {
    there.answer('fail', () => {
      throw new Error('no');
    });
    await expect(here.ask('fail')).rejects.toThrow('no');
    await expect(here.ask('unheard of')).rejects.toThrow('nobody answers');
  });

  it('notifies listeners in the order in which they were added', async () => {
    const heard: string[] = [];
    there.onNotified('news', () => heard.push('first'));
    const second = new Promise<void>((resolve) => there.onNotified('news', () => resolve(void heard.push('second'))));
    here.notify('news');
    await second;
    expect(heard).toEqual(['first', 'second']);
  });

  it('rejects requests to a thread that is gone', async () => {
    there.answer('never', () => new Promise(() => undefined));
    const asked = here.ask('never');
    here.end(new Error('gone'));
    await expect(asked).rejects.toThrow('gone');
    await expect(here.ask('twice', 1)).rejects.toThrow('gone');
  });
});
