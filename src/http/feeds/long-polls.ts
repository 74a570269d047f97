import { Injectable } from '@nestjs/common';
import { type Feed, type FeedEvent, type FeedPage, type StillAllowed } from './feed';
import { type Listening, NewsBell } from './news-bell';
import { PAGE_SIZE, SharedPages } from './shared-pages';

type Poll = Readonly<{ since: number; limit: number; waitMs: number }>;

/** Polls whose empty response is held back until an event arrives, the time is up, or the caller has gone. */
@Injectable()
export class LongPolls {
  constructor(
    private readonly pages: SharedPages,
    private readonly bell: NewsBell,
  ) {}

  async nextPage<E extends FeedEvent>(
    feed: Feed<E>,
    poll: Poll,
    stillAllowed: StillAllowed,
    whenGone: (leave: () => void) => void,
  ): Promise<FeedPage<E>> {
    if (poll.waitMs === 0) return feed.page(poll.since, poll.limit);
    const deadline = performance.now() + poll.waitMs;
    let listening: Listening | undefined;
    let { since } = poll;
    let isGone = false;
    whenGone(() => {
      isGone = true;
      listening?.stop();
    });
    try {
      for (let hasWaited = false; ; hasWaited = true) {
        // Listen before looking, so that no event is missed in between.
        listening = this.bell.listen(feed, deadline);
        // Left during the check below, when the one before had rung: nothing else would end this one in time.
        if (isGone) listening.stop();
        const { page, isAtEnd } = await this.lookUp(feed, { ...poll, since });
        if (page.events.length > 0) {
          if (hasWaited) await stillAllowed();
          return page;
        }
        since = page.next_cursor;
        // A reader that filters by type skips events of other types without waiting.
        const ring = isAtEnd || performance.now() >= deadline ? await listening.ring : this.goOn(listening);
        if (ring !== 'news' && ring !== 'standing') return page;
        // News needs no check yet: it may lie behind this cursor, and events are checked before they are returned.
        if (ring === 'standing') await stillAllowed();
      }
    } finally {
      listening?.stop();
    }
  }

  private goOn(listening: Listening): 'news' {
    listening.stop();
    return 'news';
  }

  /** One lookup serves all callers that wait at the same cursor, however many an event wakes. */
  private async lookUp<E extends FeedEvent>(feed: Feed<E>, { since, limit }: Poll) {
    const { page, isAtEnd } = await this.pages.after(feed, since);
    if (isAtEnd || page.events.length === 0) return { page, isAtEnd };
    if (limit > PAGE_SIZE && page.has_more) return { page: await feed.page(since, limit), isAtEnd };
    if (page.events.length <= limit) return { page, isAtEnd };
    const events = page.events.slice(0, limit);
    return { page: { ...page, events, next_cursor: events.at(-1)?.cursor ?? since, has_more: true }, isAtEnd };
  }
}
