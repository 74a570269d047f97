import { type MerchantEvent, type MerchantEventPage } from '../../../sdk/src/types/webhook.ts';
import { endedSince } from './today';

const [YESTERDAY, MIDNIGHT, TODAY] = [
  '2030-05-01T20:00:00.000Z',
  '2030-05-02T00:00:00.000Z',
  '2030-05-02T09:00:00.000Z',
];

const event = (step: string, timestamp: string, created_at = timestamp) =>
  ({ type: `payment_request.${step}`, timestamp, data: { payment_request: { created_at } } }) as MerchantEvent;

/** Answers like the service, and counts the questions. */
function feedOf(...events: readonly MerchantEvent[]) {
  const feed = { events, questions: 0, read };
  async function read({ since, limit, types }: { since: number; limit: number; types?: string }) {
    feed.questions += 1;
    const found: MerchantEvent[] = [];
    let next_cursor = since;
    for (const [at, one] of feed.events.entries()) {
      if (at < since || found.length === limit) continue;
      next_cursor = at + 1;
      if (types === undefined || types.split(',').includes(one.type)) found.push(one);
    }
    const newest_cursor = feed.events.length;
    return { events: found, next_cursor, newest_cursor, has_more: next_cursor < newest_cursor } as MerchantEventPage;
  }
  return feed;
}
const times = (count: number, one: MerchantEvent): readonly MerchantEvent[] => Array.from({ length: count }, () => one);

describe('the payments that ended today', () => {
  it('are those that ended today, whenever they were requested', async () => {
    const feed = feedOf(
      event('confirmed', YESTERDAY),
      event('created', TODAY),
      event('confirmed', TODAY, YESTERDAY),
      event('confirmed', TODAY),
      event('expired', MIDNIGHT, YESTERDAY),
    );
    const { ended, isMore } = await endedSince(MIDNIGHT, feed.read);
    expect(ended).toEqual({
      confirmed: { count: 2, oldest: YESTERDAY },
      failed: { count: 0, oldest: undefined },
      expired: { count: 1, oldest: YESTERDAY },
    });
    expect(isMore).toBe(false);
  });

  it('are found without reading years of events, and each is read once', async () => {
    const feed = feedOf(...times(100_000, event('confirmed', YESTERDAY)), ...times(300, event('failed', TODAY)));
    const first = await endedSince(MIDNIGHT, feed.read);
    expect([first.ended.failed.count, first.isMore]).toEqual([300, false]);
    expect(feed.questions).toBeLessThan(10);
    feed.questions = 0;
    feed.events = [...feed.events, event('failed', TODAY)];
    const next = await endedSince(MIDNIGHT, feed.read, first);
    expect([next.ended.failed.count, feed.questions]).toEqual([301, 1]);
  });

  it('are counted as far as a few pages go, which says so', async () => {
    const feed = feedOf(...times(5_000, event('confirmed', TODAY)));
    const { ended, isMore } = await endedSince(MIDNIGHT, feed.read);
    expect([ended.confirmed.count, isMore]).toEqual([1_000, true]);
  });
});
