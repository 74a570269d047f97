import { Draining } from '../server/draining';
import { Refusal, refuse } from '../../kernel/errors';
import { type Projector } from '../../platform/projecting/projector';
import { type Feed, type FeedPage } from './feed';
import { LongPolls } from './long-polls';
import { NewsBell } from './news-bell';
import { SharedPages } from './shared-pages';

const STANDING = ['connection-con_1', 'agent-agt_1', 'wallet_device-dev_1'];
type Told = readonly { stream: string }[];

describe('a long poll', () => {
  let length = 0;
  let looks = 0;
  let leaves = 0;
  let listeners: ((events: Told) => void)[] = [];
  let draining: Draining;
  let bell: NewsBell;
  let polls: LongPolls;
  let pages: SharedPages;
  let feedOf: (key: string) => Feed;

  beforeEach(() => {
    length = looks = leaves = 0;
    listeners = [];
    draining = new Draining();
    const projector = { onApplied: (listener: (typeof listeners)[0]) => listeners.push(listener) };
    bell = new NewsBell(projector as unknown as Projector, draining);
    const page = async (since: number, limit: number): Promise<FeedPage> => {
      looks += 1;
      const count = Math.max(0, Math.min(limit, length - since));
      const events = Array.from({ length: count }, (__, index) => ({ cursor: since + index + 1 }));
      return { events, next_cursor: since + count, newest_cursor: length, has_more: length > since + count };
    };
    feedOf = (key) => ({ key, standing: STANDING, page });
    pages = new SharedPages();
    bell.onModuleInit();
    polls = new LongPolls(pages, bell);
  });

  const poll = (since: number, limit = 100, allowed = true, by = 'con_1'): Promise<FeedPage> =>
    polls.nextPage(
      feedOf(by),
      { since, limit, waitMs: 30_000 },
      async () => {
        leaves += 1;
        if (!allowed) throw refuse('connection_revoked');
      },
      () => undefined,
    );
  const reasonOf = (polled: Promise<FeedPage>): Promise<unknown> =>
    polled.then(
      () => 'shown',
      (error: unknown) => (error instanceof Refusal ? error.code : error),
    );
  const tell = (stream: string): void => listeners.forEach((listener) => listener([{ stream }]));
  const news = (): void => {
    pages.forget('con_1');
    bell.news('con_1');
  };
  const grow = (): void => {
    length += 1;
    news();
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  it('makes one lookup for all callers at the same cursor, and checks for each whether it may see the events', async () => {
    const waiting = Array.from({ length: 100 }, () => poll(0));
    await settle();
    expect([bell.waiters, looks]).toEqual([100, 1]);
    grow();
    const answers = await Promise.all(waiting);
    expect(new Set(answers.map(({ next_cursor }) => next_cursor))).toEqual(new Set([1]));
    expect([looks, leaves, bell.waiters]).toEqual([2, 100, 0]);
  });

  it('ends at once for a caller who leaves', async () => {
    let leave = (): void => undefined;
    const wanted = { since: 0, limit: 100, waitMs: 30_000 };
    const polled = polls.nextPage(
      feedOf('con_1'),
      wanted,
      async () => undefined,
      (left) => (leave = left),
    );
    await settle();
    leave();
    expect(bell.waiters).toBe(0);
    await expect(polled).resolves.toMatchObject({ events: [] });
  });

  it('ends at once for a caller who leaves while it is checked whether it still may', async () => {
    let leave = (): void => undefined;
    let check = (): void => undefined;
    const checked = new Promise<void>((resolve) => (check = resolve));
    const polled = polls.nextPage(
      feedOf('con_1'),
      { since: 0, limit: 100, waitMs: 30_000 },
      () => checked,
      (left) => (leave = left),
    );
    await settle();
    tell('agent-agt_1');
    await settle();
    leave();
    check();
    await settle();
    expect(bell.waiters).toBe(0);
    await expect(polled).resolves.toMatchObject({ events: [] });
  });

  it('waits for the news if reads show that there is more, but not yet what', async () => {
    const torn: Feed = {
      key: 'con_1',
      standing: STANDING,
      page: async (since) => {
        looks += 1;
        const events = length === 0 ? [] : [{ cursor: since + 1 }];
        return { events, next_cursor: since + length, newest_cursor: 1, has_more: length === 0 };
      },
    };
    const waiting = polls.nextPage(
      torn,
      { since: 0, limit: 100, waitMs: 30_000 },
      async () => undefined,
      () => undefined,
    );
    await settle();
    expect([bell.waiters, looks]).toEqual([1, 1]);
    grow();
    expect(await waiting).toMatchObject({ next_cursor: 1, has_more: false });
  });

  it('passes over what its reader does not want without waiting for news', async () => {
    const filtered: Feed = {
      ...feedOf('con_1'),
      page: async (since) =>
        since < 100
          ? { events: [], next_cursor: 100, newest_cursor: 101, has_more: true }
          : { events: [{ cursor: 101 }], next_cursor: 101, newest_cursor: 101, has_more: false },
    };
    const wanted = { since: 0, limit: 100, waitMs: 30_000 };
    const polled = polls.nextPage(
      filtered,
      wanted,
      async () => undefined,
      () => undefined,
    );
    await settle();
    // One that waits would end here, with nothing.
    draining.begin();
    expect(await polled).toMatchObject({ events: [{ cursor: 101 }], next_cursor: 101 });
  });

  it('ends for the oldest waiter of its feed when that has too many, and for no other', async () => {
    bell.capacity = { waiters: 100, waitersEach: 3 };
    const another = 'con_2';
    const ended: string[] = [];
    const begin = async (name: string, by = 'con_1'): Promise<void> => {
      void poll(0, 100, true, by).then(() => ended.push(name));
      await settle();
    };
    await begin('theirs', another);
    for (const name of ['first', 'second', 'third', 'fourth', 'fifth']) await begin(name);
    expect([ended, bell.waiters]).toEqual([['first', 'second'], 4]);
  });

  it('ends for the oldest waiter of the feed with the most when all places are taken', async () => {
    bell.capacity = { waiters: 4, waitersEach: 3 };
    const ended: string[] = [];
    const begin = async (name: string, connectionId: string): Promise<void> => {
      void poll(0, 100, true, connectionId).then(() => ended.push(name));
      await settle();
    };
    await begin('modest', 'con_1');
    for (const name of ['first', 'second', 'third']) await begin(name, 'con_2');
    await begin('newcomer', 'con_3');
    expect([ended, bell.waiters]).toEqual([['first'], 4]);
  });

  it('keeps waiting, without a permission check, when the news does not concern it', async () => {
    const far = poll(5);
    await settle();
    grow();
    await settle();
    expect([bell.waiters, leaves]).toEqual([1, 0]);
    draining.begin();
    expect(await far).toEqual({ events: [], next_cursor: 5, newest_cursor: 1, has_more: false });
  });

  it.each([
    ['the connection', 'connection-con_1', 'before'],
    ['the agent', 'agent-agt_1', 'before'],
    ['the device', 'wallet_device-dev_1', 'before'],
    ['the connection', 'connection-con_1', 'after'],
  ])('ends when %s may no longer see anything, news or not', async (_, stream, when) => {
    const refused = reasonOf(poll(0, 100, false));
    await settle();
    if (when === 'after') news();
    tell(stream);
    if (when === 'before') news();
    await settle();
    // One that waits on would end here, without a reason.
    draining.begin();
    expect([await refused, bell.waiters]).toEqual(['connection_revoked', 0]);
  });

  it('shows no news to a caller that may no longer see it', async () => {
    const refused = reasonOf(poll(0, 100, false));
    await settle();
    grow();
    expect(await refused).toBe('connection_revoked');
  });

  it.each([
    [3, 3, true],
    [100, 100, true],
    [150, 150, true],
    [200, 160, false],
  ])('gives no more than %d', async (limit, count, more) => {
    length = 160;
    const { events, next_cursor, has_more } = await poll(0, limit);
    expect([events.length, next_cursor, has_more]).toEqual([count, count, more]);
  });

  it('does not end before its time', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      const polled = poll(0);
      await settle();
      await jest.advanceTimersByTimeAsync(29_500);
      expect(bell.waiters).toBe(1);
      await jest.advanceTimersByTimeAsync(1_000);
      expect([(await polled).events, bell.waiters]).toEqual([[], 0]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('ends on time, although the clock was set back meanwhile', async () => {
    const real = Date.now;
    const polled = polls.nextPage(
      feedOf('con_1'),
      { since: 0, limit: 100, waitMs: 300 },
      async () => undefined,
      () => undefined,
    );
    await settle();
    const setBack = jest.spyOn(Date, 'now').mockImplementation(() => real() - 3_600_000);
    const { events } = await polled.finally(() => setBack.mockRestore());
    expect([events, bell.waiters]).toEqual([[], 0]);
  });
});
