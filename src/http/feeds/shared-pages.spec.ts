import { type Feed, type FeedEvent } from './feed';
import { SharedPages } from './shared-pages';

type Told = FeedEvent & Readonly<{ text: string }>;
const MiB = 1024 * 1024;

describe('the pages that readers share', () => {
  const feedOf = (key: string, text: string) => {
    const page = jest.fn((since: number) =>
      Promise.resolve({
        events: [{ cursor: since + 1, text }],
        next_cursor: since + 1,
        newest_cursor: 1_000,
        has_more: true,
      }),
    );
    return { key, standing: [], page } as unknown as Feed<Told> & { page: typeof page };
  };
  const readAll = async (pages: SharedPages, feed: Feed<Told>, count: number): Promise<void> => {
    for (let cursor = count; cursor > 0; cursor -= 1) await pages.after(feed, cursor);
  };

  it('are read once, until the feed has grown', async () => {
    const [pages, feed] = [new SharedPages(), feedOf('one', 'short')];
    for (let time = 0; time < 3; time += 1) await readAll(pages, feed, 100);
    expect(feed.page).toHaveBeenCalledTimes(100);
    pages.forget('one');
    await readAll(pages, feed, 100);
    expect(feed.page).toHaveBeenCalledTimes(200);
  });

  it.each([1, 4])('take no more memory than a few of the largest pages, in %d feeds', async (count) => {
    const pages = new SharedPages();
    const feeds = Array.from({ length: count }, (_, at) => feedOf(`feed ${at}`, 'x'.repeat(MiB)));
    for (const feed of feeds) await readAll(pages, feed, 100);
    for (const { page } of feeds) page.mockClear();
    const newest = feeds.at(-1);
    // The one read last, which nobody has read since, is kept.
    if (newest) await pages.after(newest, 1);
    expect(newest?.page).not.toHaveBeenCalled();
    let held = 0;
    for (const feed of feeds)
      for (let cursor = 1; cursor <= 100; cursor += 1) {
        const before = feed.page.mock.calls.length;
        await pages.after(feed, cursor);
        if (feed.page.mock.calls.length === before) held += 1;
        else pages.forget(feed.key);
      }
    expect(held * MiB).toBeLessThanOrEqual(32 * MiB);
  });

  it('are read again after a read that failed', async () => {
    const [pages, feed] = [new SharedPages(), feedOf('one', 'short')];
    feed.page.mockRejectedValueOnce(new Error('the store is away'));
    await expect(pages.after(feed, 0)).rejects.toThrow('away');
    expect((await pages.after(feed, 0)).next).toBe(1);
  });

  it('are bounded while they are still being read', async () => {
    const pages = new SharedPages();
    const feed = feedOf('one', 'x'.repeat(MiB));
    const all = await Promise.all(Array.from({ length: 100 }, (_, at) => pages.after(feed, at)));
    expect(all.map(({ next }) => next)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
    feed.page.mockClear();
    for (let cursor = 0; cursor < 100; cursor += 1) await pages.after(feed, cursor);
    expect(feed.page.mock.calls.length).toBeGreaterThan(60);
  });

  it('are not read twice because others make room meanwhile', async () => {
    const [pages, large] = [new SharedPages(), feedOf('large', 'x'.repeat(MiB))];
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    const slow = feedOf('slow', 'short');
    const { page } = slow;
    const waiting = {
      ...slow,
      page: jest.fn((since: number) => held.then(() => page(since))),
    } as unknown as Feed<Told>;
    const first = pages.after(waiting, 0);
    await readAll(pages, large, 100);
    expect(pages.after(waiting, 0)).toBe(first);
    answer();
    expect((await first).next).toBe(1);
  });
});
