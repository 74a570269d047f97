import { type MerchantEvent, type MerchantEventPage } from '../../../sdk/src/types/webhook.ts';

export const OUTCOMES = ['confirmed', 'failed', 'expired'] as const;
export type DayOutcome = (typeof OUTCOMES)[number];

type Ended = Readonly<{
  count: number;
  /** When the oldest of these payments was requested, perhaps on an earlier day. */
  oldest: string | undefined;
}>;
export type Today = Readonly<{
  ended: Readonly<Record<DayOutcome, Ended>>;
  /** How far the feed was read, and whether there is more. */
  cursor: number;
  isMore: boolean;
}>;

type Query = Readonly<{ since: number; limit: number; types?: string }>;
type ReadFeed = (query: Query) => Promise<MerchantEventPage>;

const PAGE_SIZE = 200;
/** A day may have very many events, which must not all be read for a figure. */
const MAX_PAGES = 5;
const TYPES = OUTCOMES.map((outcome) => `payment_request.${outcome}`).join(',');
const NONE: Ended = { count: 0, oldest: undefined };

/**
 * The payments that ended since `from`, by outcome. Lists know only when a payment was requested, which may have been
 * days earlier; the feed knows when it ended. Goes on from what was read `before`.
 */
export async function endedSince(from: string, read: ReadFeed, before?: Today): Promise<Today> {
  let cursor = before?.cursor ?? (await cursorBefore(from, read));
  let isMore = true;
  const ended = { ...(before?.ended ?? { confirmed: NONE, failed: NONE, expired: NONE }) };
  for (let pages = 0; isMore && pages < MAX_PAGES; pages += 1) {
    const page = await read({ since: cursor, limit: PAGE_SIZE, types: TYPES });
    for (const event of page.events) {
      const outcome = outcomeOf(event);
      if (outcome === undefined || event.timestamp < from) continue;
      ended[outcome.name] = added(ended[outcome.name], outcome.requestedAt);
    }
    cursor = page.next_cursor;
    isMore = page.has_more;
  }
  return { ended, cursor, isMore };
}

/** A cursor before the day's first event, and not much more of the feed: it may be years long. */
async function cursorBefore(from: string, read: ReadFeed): Promise<number> {
  const { newest_cursor: newest } = await read({ since: 0, limit: 1 });
  for (let back = PAGE_SIZE; back < newest; back *= 2) {
    const [first] = (await read({ since: newest - back, limit: 1 })).events;
    if (first !== undefined && first.timestamp < from) return newest - back;
  }
  return 0;
}

function outcomeOf({ type, data }: MerchantEvent): { name: DayOutcome; requestedAt: string } | undefined {
  const name = OUTCOMES.find((outcome) => type === `payment_request.${outcome}`);
  return name && 'payment_request' in data ? { name, requestedAt: data.payment_request.created_at } : undefined;
}

const added = ({ count, oldest }: Ended, requestedAt: string): Ended => ({
  count: count + 1,
  oldest: oldest !== undefined && oldest < requestedAt ? oldest : requestedAt,
});
