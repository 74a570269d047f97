import { collection } from '../../platform/read-model/projection';
import { type Position } from '../../platform/event-store/event-store.port';
import { type DocumentWrite, type ReadModel, type ReadModelStore } from '../../platform/read-model/read-model.port';
import { type MerchantId } from '../../kernel/aggregates';

const PAGE_SIZE = 256;

/** A merchant's leaves of the tree, in order: how many, and those that do not fill a page yet. */
type FeedDocument = Readonly<{ id: string; length: number; last_leaf: number; leaves: readonly number[] }>;
type PageDocument = Readonly<{ id: string; leaves: readonly number[] }>;

export const feeds = collection<FeedDocument>('merchant_feeds');
export const feedPages = collection<PageDocument>('merchant_feed_pages');

export type NewLeaf = Readonly<{ merchantId: MerchantId; leaf: number; position: Position }>;

const pageId = (merchantId: MerchantId, page: number): string => `${merchantId}:${page}`;

/** What the new leaves do to the feeds: full pages first, then each feed. Leaves already stored change nothing. */
export async function planFeeds(news: readonly NewLeaf[], model: ReadModelStore): Promise<readonly DocumentWrite[]> {
  const byMerchant = new Map<MerchantId, NewLeaf[]>();
  for (const one of news) {
    const sameMerchant = byMerchant.get(one.merchantId);
    if (sameMerchant === undefined) byMerchant.set(one.merchantId, [one]);
    else sameMerchant.push(one);
  }
  const merchants = [...byMerchant];
  const stored = await model.load(merchants.map(([id]) => ({ collection: feeds, id })));
  const pages: DocumentWrite[] = [];
  const heads: DocumentWrite[] = [];
  merchants.forEach(([id, added], index) => {
    const before = stored[index]?.document as FeedDocument | undefined;
    const leaves = [...(before?.leaves ?? [])];
    let length = before?.length ?? 0;
    let last = before?.last_leaf ?? -1;
    for (const { leaf, position } of added) {
      if (leaf <= last) continue;
      leaves.push(leaf);
      length += 1;
      last = leaf;
      if (leaves.length < PAGE_SIZE) continue;
      const page = { id: pageId(id, length / PAGE_SIZE - 1), leaves: leaves.splice(0) };
      pages.push({ collection: feedPages, document: page, position });
    }
    const position = added.at(-1)?.position;
    if (position === undefined || length === before?.length) return;
    const feed: FeedDocument = { id, length, last_leaf: last, leaves };
    heads.push({ collection: feeds, document: feed, position });
  });
  return [...pages, ...heads];
}

/** The leaves after a cursor: number n of a merchant is the n-th of its events, forever. */
export async function leavesAfter(
  model: ReadModel,
  merchantId: MerchantId,
  since: number,
  limit: number,
): Promise<Readonly<{ leaves: readonly number[]; length: number }>> {
  const feed = await model.get(feeds, merchantId);
  if (feed === undefined) return { leaves: [], length: 0 };
  const found: number[] = [];
  const end = Math.min(since + limit, feed.length);
  for (let next = since; next < end;) {
    const page = Math.floor(next / PAGE_SIZE);
    const isFull = (page + 1) * PAGE_SIZE <= feed.length;
    const leaves = isFull ? (await model.get(feedPages, pageId(merchantId, page)))?.leaves : feed.leaves;
    if (leaves === undefined) throw new Error(`page ${page} of the feed of ${merchantId} is missing`);
    const taken = leaves.slice(next % PAGE_SIZE, (next % PAGE_SIZE) + end - next);
    found.push(...taken);
    next += taken.length;
  }
  return { leaves: found, length: feed.length };
}
