import { Injectable } from '@nestjs/common';
import { roughSize } from '../../kernel/rough-size';
import { type Feed, type FeedEvent, type FeedPage } from './feed';

/** The page after a cursor: for polls and, serialized, for streams. */
export class SharedPage<E extends FeedEvent = FeedEvent> {
  private text: Buffer | undefined;

  constructor(
    readonly page: FeedPage<E>,
    private readonly since: number,
  ) {}

  get next(): number {
    return this.page.next_cursor;
  }

  /**
   * Nothing follows yet. That also holds if `has_more` is true without an event: reads may show the feed's new length
   * before its new entries, and a reader that retried at once would get this same page until the news arrived.
   */
  get isAtEnd(): boolean {
    return this.page.events.length === 0 && this.next === this.since;
  }

  get bytes(): Buffer {
    this.text ??= Buffer.from(this.page.events.map(asMessage).join(''));
    return this.text;
  }
}

export const PAGE_SIZE = 100;
const MAX_CACHED_PAGES = 128;
/** A page may be a megabyte, and is kept both as events and as text. */
const MAX_BYTES = 32 * 1024 * 1024;

/** `bytes` is zero until the page has been read. */
type Kept = { readonly page: Promise<SharedPage>; bytes: number };

/**
 * Readers of one feed at the same cursor share one cached page: a thousand of them cost the memory of one, and little
 * more time. A feed's pages are dropped with its next event.
 */
@Injectable()
export class SharedPages {
  private readonly kept = new Map<string, Map<string, Kept>>();
  private count = 0;
  private bytes = 0;

  after<E extends FeedEvent>(feed: Feed<E>, cursor: number): Promise<SharedPage<E>> {
    const { key, variant = '' } = feed;
    const place = `${cursor} ${variant}`;
    const known = this.kept.get(key)?.get(place)?.page as Promise<SharedPage<E>> | undefined;
    if (known !== undefined) return known;
    const page = feed.page(cursor, PAGE_SIZE).then((found) => new SharedPage(found, cursor));
    const kept: Kept = { page, bytes: 0 };
    this.keep(key, place, kept);
    page.then(
      (read) => this.weigh(key, place, kept, roughSize(read.page.events)),
      () => this.forget(key),
    );
    return page;
  }

  private keep(key: string, place: string, page: Kept): void {
    const [oldest] = this.kept.keys();
    if (this.count >= MAX_CACHED_PAGES && oldest !== undefined) this.forget(oldest);
    const pages = this.kept.get(key) ?? new Map<string, Kept>();
    this.kept.set(key, pages.set(place, page));
    this.count += 1;
  }

  private weigh(key: string, place: string, page: Kept, bytes: number): void {
    if (this.kept.get(key)?.get(place) !== page) return;
    page.bytes = bytes;
    this.bytes += bytes;
    for (const [from, pages] of this.kept)
      for (const [at, other] of pages) {
        if (this.bytes <= MAX_BYTES) return;
        // One that is still being read takes nothing yet, and others wait for it.
        if (other !== page && other.bytes > 0) this.drop(from, at, other);
      }
  }

  private drop(key: string, place: string, { bytes }: Kept): void {
    const pages = this.kept.get(key);
    pages?.delete(place);
    if (pages?.size === 0) this.kept.delete(key);
    this.count -= 1;
    this.bytes -= bytes;
  }

  /** Drops a feed's pages, as when reads show more of it. */
  forget(key: string): void {
    for (const [place, page] of this.kept.get(key) ?? []) this.drop(key, place, page);
  }

  forgetAll(): void {
    for (const key of this.kept.keys()) this.forget(key);
  }
}

const asMessage = (event: FeedEvent): string => `id: ${event.cursor}\ndata: ${JSON.stringify(event)}\n\n`;
