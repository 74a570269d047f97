import { Injectable } from '../../platform/injection';
import { type FeedEndpoint, type MerchantFeed } from '../../../projections/merchant-feed.projection';
import { type WebhookDeliveryDocument, webhookDeliveries } from '../../../projections/webhook-deliveries.projection';
import { webhookLanes } from '../../../projections/webhook-queues.projection';
import { type DeliveryParts } from './delivery-parts';
import { walkItem } from './feed-walk';
import { type EndpointId, type MerchantId } from '../../kernel/aggregates';

const LANE_BATCH_SIZE = 100;
const ENTRY_BATCH_SIZE = 200;

/** Cancels the deliveries to a deleted endpoint, which would otherwise wait forever. */
@Injectable()
export class DeletedEndpoints {
  /** Deliveries that have a stream of their own. */
  async cancelOpened(
    { model, attempts, shares }: DeliveryParts,
    endpointId: EndpointId,
    signal: AbortSignal,
  ): Promise<void> {
    const page = { limit: LANE_BATCH_SIZE } as const;
    while (!signal.aborted && shares.keeps(endpointId)) {
      const { documents } = await model.find(webhookLanes, 'due', [endpointId], page);
      if (documents.length === 0) return;
      const open = documents.flatMap(({ waiting }) => waiting.map(({ delivery_id }) => delivery_id));
      await Promise.all(open.map((deliveryId) => attempts.cancel(endpointId, deliveryId)));
    }
  }

  /** Deliveries that the endpoint had not yet reached in the feed. */
  async cancelUnsent(parts: DeliveryParts, { id: merchantId, endpoints }: MerchantFeed, signal: AbortSignal) {
    for (const endpoint of endpoints) {
      if (endpoint.ends !== null && parts.shares.keeps(endpoint.id))
        await this.walkToEnd(parts, merchantId, endpoint, signal);
    }
  }

  private async walkToEnd(
    parts: DeliveryParts,
    merchantId: MerchantId,
    { id: endpointId, reached: from, ends, outcomes }: FeedEndpoint,
    signal: AbortSignal,
  ): Promise<void> {
    await parts.projector.progress.passed(await parts.outcomes.newest(endpointId, outcomes));
    for (let reached = from; ends !== null && reached < ends && !signal.aborted;) {
      const entries = await parts.feed.entries(merchantId, reached, ENTRY_BATCH_SIZE);
      const last = entries.at(-1);
      if (last === undefined) return;
      reached = Math.min(last.cursor, ends);
      const ids = entries
        .filter(({ cursor, receivers }) => cursor <= ends && receivers.includes(endpointId))
        .map((entry) => walkItem(entry, endpointId).facts.delivery_id);
      const stored = await parts.model.load(ids.map((id) => ({ collection: webhookDeliveries, id })));
      const unsent = ids.filter((_, index) => {
        const delivery = stored[index]?.document as WebhookDeliveryDocument | undefined;
        return delivery?.status === 'pending' && !delivery.opened;
      });
      if (!(await parts.outcomes.cancel({ endpointId, merchantId, reached }, unsent, signal))) return;
    }
  }
}
