import { Draining } from '../../http/server/draining';
import { type ConnectionCaller } from '../../access/connection.guard';
import { Refusal, refuse } from '../../kernel/errors';
import { type Projector } from '../../platform/projecting/projector';
import { type EventFeed, type FeedPage } from './event-feed';
import { LongPolls } from './long-polls';
import { NewsBell } from './news-bell';
import { SharedPages } from './shared-pages';

const caller = { connectionId: 'con_1', agentId: 'agt_1', deviceId: 'dev_1' } as ConnectionCaller;
type Told = readonly { stream: string; data: object }[];

describe('a long poll', () => {
  let length = 0;
  let looks = 0;
  let leaves = 0;
  let listeners: ((events: Told) => void)[] = [];
  let draining: Draining;
  let bell: NewsBell;
  let polls: LongPolls;

  beforeEach(() => {
    length = looks = leaves = 0;
    listeners = [];
    draining = new Draining();
    const projector = { onApplied: (listener: (typeof listeners)[0]) => listeners.push(listener) };
    bell = new NewsBell(projector as unknown as Projector, draining);
    const page = async (_: string, since: number, limit: number): Promise<unknown> => {
      looks += 1;
      const count = Math.max(0, Math.min(limit, length - since));
      const events = Array.from({ length: count }, (__, index) => ({ cursor: since + index + 1 }));
      return { events, next_cursor: since + count, has_more: length > since + count };
    };
    const feed = { page } as unknown as EventFeed;
    const pages = new SharedPages(feed, projector as unknown as Projector);
    pages.onModuleInit();
    bell.onModuleInit();
    polls = new LongPolls(feed, pages, bell);
  });

  const poll = (since: number, limit = 100, allowed = true): Promise<FeedPage> =>
    polls.nextPage(
      caller,
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
  const tell = (stream: string, data: object): void => listeners.forEach((listener) => listener([{ stream, data }]));
  const grow = (): void => {
    length += 1;
    tell('payment_request-pr_1', { connection_id: 'con_1' });
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  it('looks once for all who wait at the same place, and asks for each whether it may see what there is', async () => {
    const waiting = Array.from({ length: 100 }, () => poll(0));
    await settle();
    expect([bell.waiters, looks]).toEqual([100, 1]);
    grow();
    const answers = await Promise.all(waiting);
    expect(new Set(answers.map(({ next_cursor }) => next_cursor))).toEqual(new Set([1]));
    expect([looks, leaves, bell.waiters]).toEqual([2, 100, 0]);
  });

  it('goes on waiting, and asks nobody, when the news are none to it', async () => {
    const far = poll(5);
    await settle();
    grow();
    await settle();
    expect([bell.waiters, leaves]).toEqual([1, 0]);
    draining.begin();
    expect(await far).toEqual({ events: [], next_cursor: 5, has_more: false });
  });

  it.each([
    ['the connection', 'connection-con_1', { connection_id: 'con_1' }],
    ['the agent', 'agent-agt_1', { agent_id: 'agt_1' }],
    ['the device', 'wallet_device-dev_1', { device_id: 'dev_1' }],
  ])('ends when %s may no longer see anything, news or not', async (_, stream, data) => {
    const refused = reasonOf(poll(0, 100, false));
    await settle();
    tell(stream, data);
    tell('payment_request-pr_1', { connection_id: 'con_1' });
    expect([await refused, bell.waiters]).toEqual(['connection_revoked', 0]);
  });

  it('shows nothing of the news to one who may not see them any more', async () => {
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
});
