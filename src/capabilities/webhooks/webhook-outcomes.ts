import { type Decider } from '../../kernel/decider';
import { type DeliveryOutcome, type WebhookOutcomesEvent } from '../../events/webhook-outcomes.events';
import { type DeliveryId, type EndpointId, type MerchantId, type RewindId } from '../../kernel/aggregates';

type Own = Readonly<{ endpointId: EndpointId; merchantId: MerchantId; reached: number; at: string }>;
type Record = Own & Readonly<{ kind: 'record'; rewindId: RewindId | null; outcomes: readonly DeliveryOutcome[] }>;
type Cancel = Own & Readonly<{ kind: 'cancel'; deliveryIds: readonly DeliveryId[] }>;

export type WebhookOutcomesCommand = Record | Cancel;

/**
 * The outcomes of an endpoint's deliveries, many per event. A separate stream, so that the endpoint's own stays short
 * for folding before each change, and changes to it never conflict with the many records per second here.
 */
export const webhookOutcomes: Decider<null, WebhookOutcomesCommand, WebhookOutcomesEvent> = {
  category: 'webhook_outcomes',
  initial: null,

  decide(command) {
    const { endpointId: endpoint_id, merchantId: merchant_id, reached, at } = command;
    const own = { endpoint_id, merchant_id, reached };
    if (command.kind === 'cancel') {
      const data = { ...own, delivery_ids: command.deliveryIds, cancelled_at: at };
      return [{ type: 'WebhookDeliveriesCancelled', data }];
    }
    const { rewindId: rewind_id, outcomes } = command;
    return [{ type: 'WebhookDeliveriesRecorded', data: { ...own, rewind_id, outcomes, recorded_at: at } }];
  },

  evolve: (state) => state,
};
