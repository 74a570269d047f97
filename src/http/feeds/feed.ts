/** An event as a reader of a feed sees it, under a number that never changes. */
export type FeedEvent = Readonly<{ cursor: number }>;

export type FeedPage<E extends FeedEvent = FeedEvent> = Readonly<{
  events: readonly E[];
  /** The last cursor the caller has now seen. */
  next_cursor: number;
  /** The newest cursor of the feed: a `since` beyond it did not come from this feed. */
  newest_cursor: number;
  has_more: boolean;
}>;

/** Events of one connection, merchant or device, numbered 1, 2, 3 … */
export type Feed<E extends FeedEvent = FeedEvent> = Readonly<{
  /** Identifies it among all feeds, such as `connection con_1`; news is announced under the same key. */
  key: string;
  /** Which part of the feed this reader sees, if not all of it. */
  variant?: string;
  /** Streams whose events may change whether the caller may still read it, such as `connection-con_1`. */
  standing: readonly string[];
  page(since: number, limit: number): Promise<FeedPage<E>>;
}>;

/** Readers waiting for news of feeds. Code that extends a feed notifies them, however they are answered. */
export type FeedReaders = Readonly<{
  /** Reads now show more of this feed. */
  grown(key: string): void;
  /** Reads now show more of some feeds, but it is unknown which. */
  someHaveGrown(): void;
}>;

export const FEED_READERS = Symbol('FeedReaders');

/** Checks again whether the caller may see the events; rejects with the reason if not. */
export type StillAllowed = () => Promise<unknown>;
