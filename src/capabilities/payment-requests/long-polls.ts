import { Injectable } from '@nestjs/common';
import { type ConnectionCaller } from '../../access/connection.guard';
import { EventFeed, type FeedPage, type StillAllowed } from './event-feed';
import { type Listening, NewsBell } from './news-bell';
import { PAGE, SharedPages } from './shared-pages';

type Poll = Readonly<{ since: number; limit: number; waitMs: number }>;

/** Polls whose empty answer is held back until there is an event, the time is over, or the caller has gone. */
@Injectable()
export class LongPolls {
  constructor(
    private readonly feed: EventFeed,
    private readonly pages: SharedPages,
    private readonly bell: NewsBell,
  ) {}

  async nextPage(
    caller: ConnectionCaller,
    poll: Poll,
    stillAllowed: StillAllowed,
    whenGone: (leave: () => void) => void,
  ): Promise<FeedPage> {
    if (poll.waitMs === 0) return this.feed.page(caller.connectionId, poll.since, poll.limit);
    const deadline = Date.now() + poll.waitMs;
    let listening: Listening | undefined;
    whenGone(() => listening?.stop());
    try {
      for (let hasWaited = false; ; hasWaited = true) {
        // Listening begins before looking, so that nothing falls in between.
        listening = this.bell.listen(caller, deadline);
        const page = await this.look(caller, poll);
        if (page.events.length > 0) {
          if (hasWaited) await stillAllowed();
          return page;
        }
        const ring = await listening.heard;
        if (ring !== 'news' && ring !== 'standing') return page;
        // News may be none for a caller far ahead of them, and what is not shown needs no leave.
        if (ring === 'standing') await stillAllowed();
      }
    } finally {
      listening?.stop();
    }
  }

  /** One look serves all who wait at the same place, however many of them an event wakes. */
  private async look({ connectionId }: ConnectionCaller, { since, limit }: Poll): Promise<FeedPage> {
    const { page } = await this.pages.after(connectionId, since);
    if (limit > PAGE && page.has_more) return this.feed.page(connectionId, since, limit);
    if (page.events.length <= limit) return page;
    const events = page.events.slice(0, limit);
    return { events, next_cursor: events.at(-1)?.cursor ?? since, has_more: true };
  }
}
