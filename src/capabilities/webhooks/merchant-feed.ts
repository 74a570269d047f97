import { setImmediate as nextTurn } from 'node:timers/promises';
import { type OnModuleInit } from '@nestjs/common';
import { Inject, Injectable } from '../../platform/injection';
import {
  merchantFeedEntries,
  type MerchantFeedEntry,
  merchantFeedEntryId,
  merchantFeeds,
} from '../../../projections/merchant-feed.projection';
import { webhookTypeOf } from '../../../projections/webhook-types';
import { type MerchantCaller } from '../../http/server/callers';
import { type Feed, FEED_READERS, type FeedPage, type FeedReaders } from '../../http/feeds/feed';
import { type FeedPlace, readEntries } from '../../http/feeds/read-feed';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { streamName } from '../../platform/event-store/stream-name';
import { Projector } from '../../platform/projecting/projector';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { FollowedSubjects } from './followed-subjects';
import { messageOf, type WebhookMessage } from './webhook-messages';
import { type MerchantId } from '../../kernel/aggregates';

export type MerchantEvent = Readonly<{ cursor: number }> & WebhookMessage;

const BATCH_SIZE = 200;
/** How many entries of other types one response may skip; the next cursor continues after them. */
const MAX_SKIPPED = 2_000;
/** A response that has grown this large ends early; the next cursor continues from there. */
const MAX_BYTES = 1 << 20;

/**
 * Everything a merchant is notified of, in log order. Polling and pushing use the same entries, and each message is
 * built from its event and its subject as of then: the same bytes for both.
 */
@Injectable()
export class MerchantFeed implements OnModuleInit {
  constructor(
    private readonly projector: Projector,
    @Inject(FEED_READERS) private readonly readers: FeedReaders,
    private readonly subjects: FollowedSubjects,
    @Inject(READ_MODEL) private readonly model: ReadModel,
  ) {}

  onModuleInit(): void {
    // Without the log it is unknown whose events these are; cached pages would hide them from waiting readers.
    this.projector.onApplied((events) => void this.announce(events).catch(() => this.readers.someHaveGrown()));
  }

  of({ merchantId, sessionId }: MerchantCaller, types: readonly string[] | null): Feed<MerchantEvent> {
    return {
      key: keyOf(merchantId),
      ...(types === null ? {} : { variant: types.join(' ') }),
      standing: [streamName('session', sessionId)],
      page: (since, limit) => this.page(merchantId, since, limit, types),
    };
  }

  /** The next entries after a cursor, oldest first; never beyond what the read model shows completely. */
  async entries(merchantId: MerchantId, since: number, limit: number): Promise<readonly MerchantFeedEntry[]> {
    return (await readEntries(this.model, placeOf(merchantId), since, { limit })).shown;
  }

  async length(merchantId: MerchantId): Promise<number> {
    return (await this.model.get(merchantFeeds, merchantId))?.length ?? 0;
  }

  async message({ type, stream, version }: Pick<MerchantFeedEntry, 'type' | 'stream' | 'version'>) {
    const { event, document } = await this.subjects.after(stream, version);
    return messageOf(type, event, document);
  }

  private async page(
    merchantId: MerchantId,
    since: number,
    limit: number,
    types: readonly string[] | null,
  ): Promise<FeedPage<MerchantEvent>> {
    const events: MerchantEvent[] = [];
    let next_cursor = since;
    let bytes = 0;
    let atEnd = false;
    const isFull = (): boolean => events.length >= limit || bytes >= MAX_BYTES || next_cursor - since >= MAX_SKIPPED;
    while (!atEnd && !isFull()) {
      const entries = await this.entries(merchantId, next_cursor, Math.min(BATCH_SIZE, types ? MAX_SKIPPED : limit));
      atEnd = entries.length === 0;
      for (const entry of entries) {
        if (isFull()) break;
        next_cursor = entry.cursor;
        if (types !== null && !types.includes(entry.type)) continue;
        const message = await this.message(entry);
        bytes += Buffer.byteLength(JSON.stringify(message));
        events.push({ cursor: entry.cursor, ...message });
      }
      if (!atEnd) await nextTurn();
    }
    // Read after the events, so it is never less than their cursors.
    const newest_cursor = await this.length(merchantId);
    return { events, next_cursor, newest_cursor, has_more: next_cursor < newest_cursor };
  }

  private async announce(events: readonly RecordedEvent[]): Promise<void> {
    const merchants = new Set<MerchantId>();
    const reported = events.filter((event) => webhookTypeOf(event) !== undefined);
    for (const event of reported) this.subjects.remember(event);
    for (const event of reported) merchants.add(await this.subjects.merchantOf(event));
    for (const merchantId of merchants) this.readers.grown(keyOf(merchantId));
  }
}

const placeOf = (merchantId: MerchantId): FeedPlace<MerchantFeedEntry, MerchantId> => ({
  entries: merchantFeedEntries,
  feeds: merchantFeeds,
  owner: merchantId,
  entryId: merchantFeedEntryId,
});

const keyOf = (merchantId: MerchantId): string => `merchant ${merchantId}`;
