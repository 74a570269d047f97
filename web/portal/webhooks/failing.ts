import { type MerchantClient } from '../../../sdk/src/merchant/client.ts';
import { type WebhookDelivery } from '../../../sdk/src/types/webhook.ts';

const PAGE_SIZE = 200;
/** A rewind can create a hundred thousand pending deliveries, which must not all be read every few seconds. */
const MAX_PAGES = 10;

export type Count = Readonly<{ count: number; isMore: boolean }>;
type Wanted = Readonly<{ endpoint_id?: string; enough: number; signal: AbortSignal }>;

/** For a pending delivery: it was sent, but not accepted. */
const hasFailed = ({ attempt_count }: WebhookDelivery): boolean => attempt_count > 0;

/**
 * How many pending deliveries were not accepted at their last attempt. The newest come first, and in an outage those
 * are the ones that were not sent yet: one page may hold none that failed.
 */
export async function countFailing(client: MerchantClient, { enough, signal, ...about }: Wanted): Promise<Count> {
  let count = 0;
  let cursor: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const query = { ...about, status: 'pending', limit: PAGE_SIZE, ...(cursor === null ? {} : { cursor }) } as const;
    const page: Awaited<ReturnType<typeof client.webhooks.listDeliveries>> = await client.webhooks.listDeliveries(
      query,
      { signal },
    );
    count += page.webhook_deliveries.filter(hasFailed).length;
    cursor = page.next_cursor;
    if (cursor === null || count >= enough) break;
  }
  return { count, isMore: cursor !== null };
}
