import { type WebhookDeliveriesRecorded } from '../src/events/webhook-outcomes.events';
import { type WebhookRewindRequested } from '../src/events/webhook-rewind.events';
import { type DeliveryId, type EndpointId, type MerchantId, type RewindId } from '../src/kernel/aggregates';
import { AT, GivenLog } from '../test/support/given-log';
import { webhookRewinds, webhookRewindsProjection } from './webhook-rewinds.projection';

const rewind_id = 'rwd_1' as RewindId;
const own = { endpoint_id: 'whe_1' as EndpointId, merchant_id: 'mer_1' as MerchantId };

const requested: WebhookRewindRequested = {
  type: 'WebhookRewindRequested',
  data: { ...own, rewind_id, from_cursor: 0, to_cursor: 4, types: null, deliveries: 4, requested_at: AT },
};

const recorded = (...cursors: readonly number[]): WebhookDeliveriesRecorded => ({
  type: 'WebhookDeliveriesRecorded',
  data: {
    ...own,
    rewind_id,
    reached: cursors.at(-1) ?? 0,
    outcomes: cursors.map((cursor) => ({
      delivery_id: `whd_${cursor}` as DeliveryId,
      event_id: `evt_${cursor}`,
      event_type: 'payment_request.created',
      subject_id: 'pr_1',
      sequence: cursor,
      cursor,
      sent_at: AT,
      status_code: 200,
      duration_ms: 1,
    })),
    recorded_at: AT,
  },
});

const given = () => new GivenLog([webhookRewindsProjection]).happens('webhook_rewind-rwd_1', requested);
const outcomes = 'webhook_outcomes-whe_1';

describe('the progress of a rewind', () => {
  it('counts what was accepted, and is done at its last cursor', async () => {
    const log = given().happens(outcomes, recorded(1, 2));
    await log.leadsTo(webhookRewinds, rewind_id, { delivered: 2, reached: 2, status: 'running' });
    log.happens(outcomes, recorded(3, 4));
    await log.leadsTo(webhookRewinds, rewind_id, { delivered: 4, reached: 4, status: 'done', runs_for: null });
  });

  it('counts once what is recorded twice, because the store’s first response was lost', async () => {
    const log = given().happens(outcomes, recorded(1, 2), recorded(1, 2), recorded(3, 4));
    await log.leadsTo(webhookRewinds, rewind_id, { delivered: 4, deliveries: 4, status: 'done' });
  });
});
