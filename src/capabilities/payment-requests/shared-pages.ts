import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type PaymentRequestEventView } from '../../../projections/payment-request-events.projection';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { parseStreamName } from '../../platform/event-store/stream-name';
import { Projector } from '../../platform/projecting/projector';
import { EventFeed, type FeedPage } from './event-feed';

/** What comes after a cursor, for those who poll and, ready to be sent, for those who read a stream. */
export class SharedPage {
  private text: Buffer | undefined;

  constructor(readonly page: FeedPage) {}

  get next(): number {
    return this.page.next_cursor;
  }

  get isEmpty(): boolean {
    return this.page.events.length === 0;
  }

  get bytes(): Buffer {
    this.text ??= Buffer.from(this.page.events.map(asMessage).join(''));
    return this.text;
  }
}

export const PAGE = 100;
const MOST_KEPT = 128;

/**
 * Callers of one connection that stand at one place are sent the same, looked up and kept once: a thousand of them
 * cost the memory of one, and little more time. What is kept of a connection is forgotten with its next event.
 */
@Injectable()
export class SharedPages implements OnModuleInit {
  private readonly kept = new Map<string, Map<number, Promise<SharedPage>>>();
  private count = 0;

  constructor(
    private readonly feed: EventFeed,
    private readonly projector: Projector,
  ) {}

  onModuleInit(): void {
    this.projector.onApplied((events) => this.forgetOutdated(events));
  }

  after(connectionId: string, cursor: number): Promise<SharedPage> {
    const known = this.kept.get(connectionId)?.get(cursor);
    if (known !== undefined) return known;
    const page = this.look(connectionId, cursor);
    this.keep(connectionId, cursor, page);
    page.catch(() => this.forget(connectionId));
    return page;
  }

  private async look(connectionId: string, cursor: number): Promise<SharedPage> {
    return new SharedPage(await this.feed.page(connectionId, cursor, PAGE));
  }

  private keep(connectionId: string, cursor: number, page: Promise<SharedPage>): void {
    const [oldest] = this.kept.keys();
    if (this.count >= MOST_KEPT && oldest !== undefined) this.forget(oldest);
    const pages = this.kept.get(connectionId) ?? new Map<number, Promise<SharedPage>>();
    this.kept.set(connectionId, pages.set(cursor, page));
    this.count += 1;
  }

  private forgetOutdated(events: readonly RecordedEvent[]): void {
    if (this.count === 0) return;
    for (const { stream, data } of events) {
      if (parseStreamName(stream).category !== 'payment_request') continue;
      this.forget(String((data as Readonly<Record<string, unknown>>)['connection_id']));
    }
  }

  private forget(connectionId: string): void {
    this.count -= this.kept.get(connectionId)?.size ?? 0;
    this.kept.delete(connectionId);
  }
}

const asMessage = (event: PaymentRequestEventView): string => `id: ${event.cursor}\ndata: ${JSON.stringify(event)}\n\n`;
