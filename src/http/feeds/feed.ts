/** Something that happened, as a reader of a feed sees it, under a number it will always have. */
export type FeedEvent = Readonly<{ cursor: number }>;

export type FeedPage<E extends FeedEvent = FeedEvent> = Readonly<{
  events: readonly E[];
  /** The last cursor the caller has now seen. */
  next_cursor: number;
  /** The last one there is: a caller whose `since` is beyond it came from elsewhere. */
  newest_cursor: number;
  has_more: boolean;
}>;

/** Events of one connection, merchant or device, counted 1, 2, 3 … */
export type Feed<E extends FeedEvent = FeedEvent> = Readonly<{
  /** Names it among all feeds, such as `connection con_1`: who announces news names the same. */
  key: string;
  /** Which part of it this reader sees, where not all of it. */
  variant?: string;
  /** Streams whose events may change whether the caller may still read it, such as `connection-con_1`. */
  standing: readonly string[];
  page(since: number, limit: number): Promise<FeedPage<E>>;
}>;

/** Those who wait for news of feeds; told by whoever makes a feed longer, which need not know how they are answered. */
export type FeedReaders = Readonly<{
  /** Reads show more of this feed than before. */
  grown(key: string): void;
}>;

export const FEED_READERS = Symbol('FeedReaders');

/** Asks again whether the caller may see the events; rejects with the reason if not. */
export type StillAllowed = () => Promise<unknown>;
