import { type MerchantSession } from '../../merchant/session.ts';
import { readFeed } from './feed.ts';
it('follows on when a service briefly knows less, as the library does', async () => {
  const event = (cursor: number) => ({ cursor, type: 't', timestamp: '', data: {} });
  const pages = [
    { events: [], next_cursor: 10, newest_cursor: 3, has_more: false },
    { events: [event(11)], next_cursor: 11, newest_cursor: 11, has_more: false },
  ];
  const session = { get: async () => pages.shift() } as unknown as MerchantSession;
  const end = new AbortController();
  const seen: number[] = [];
  for await (const { cursor } of readFeed(session, {
    since: 10,
    types: undefined,
    follow: true,
    signal: end.signal,
    onInterruption: () => undefined,
  })) {
    seen.push(cursor);
    end.abort();
  }
  expect(seen).toEqual([11]);
});
