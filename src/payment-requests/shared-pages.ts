import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type PaymentRequestEventView } from '../../projections/payment-request-events.projection';
import { type RecordedEvent } from '../event-store/event-store.port';
import { parseStreamName } from '../event-store/stream-name';
import { Projector } from '../read-model/projector';
import { EventFeed } from './event-feed';

/** Ready to be sent; empty when there is nothing after the cursor. */
export type StreamPage = Readonly<{ bytes: Buffer; next: number }>;

const PAGE = 100;
const MOST_KEPT = 128;

/**
 * Readers of one connection that stand at one place are sent the same bytes, looked up and kept once: a thousand of them
 * cost the memory of one, and little more time. What is kept of a connection is forgotten with its next event.
 */
@Injectable()
export class SharedPages implements OnModuleInit {
  private readonly kept = new Map<string, Map<number, Promise<StreamPage>>>();
  private count = 0;

  constructor(
    private readonly feed: EventFeed,
    private readonly projector: Projector,
  ) {}

  onModuleInit(): void {
    this.projector.onApplied((events) => this.forgetOutdated(events));
  }

  after(connectionId: string, cursor: number): Promise<StreamPage> {
    const known = this.kept.get(connectionId)?.get(cursor);
    if (known !== undefined) return known;
    const page = this.look(connectionId, cursor);
    this.keep(connectionId, cursor, page);
    page.catch(() => this.forget(connectionId));
    return page;
  }

  private async look(connectionId: string, cursor: number): Promise<StreamPage> {
    const { events, next_cursor } = await this.feed.page(connectionId, cursor, PAGE);
    return { bytes: Buffer.from(events.map(asMessage).join('')), next: next_cursor };
  }

  private keep(connectionId: string, cursor: number, page: Promise<StreamPage>): void {
    const [oldest] = this.kept.keys();
    if (this.count >= MOST_KEPT && oldest !== undefined) this.forget(oldest);
    const pages = this.kept.get(connectionId) ?? new Map<number, Promise<StreamPage>>();
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
