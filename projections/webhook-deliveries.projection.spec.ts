import { attempted, cancelled, facts, opened } from '../src/capabilities/webhooks/webhook-delivery.fixtures';
import { type WebhookDeliveriesCancelled, type WebhookDeliveriesRecorded } from '../src/events/webhook-outcomes.events';
import { type RewindId } from '../src/kernel/aggregates';
import { AT, GivenLog } from '../test/support/given-log';
import { webhookDeliveries, webhookDeliveriesProjection } from './webhook-deliveries.projection';

const { delivery_id, endpoint_id, merchant_id } = facts;
const own = { endpoint_id, merchant_id };
const stream = `webhook_delivery-${delivery_id}`;
const outcomes = `webhook_outcomes-${endpoint_id}`;

const accepted = (rewind: string | null = null): WebhookDeliveriesRecorded => {
  const { lane: _, endpoint_id: _e, merchant_id: _m, ...about } = facts;
  const outcome = { ...about, sent_at: AT, status_code: 200, duration_ms: 1 };
  const rewind_id = rewind as RewindId | null;
  return {
    type: 'WebhookDeliveriesRecorded',
    data: { ...own, rewind_id, reached: 7, outcomes: [outcome], recorded_at: AT },
  };
};
const unsent: WebhookDeliveriesCancelled = {
  type: 'WebhookDeliveriesCancelled',
  data: { ...own, reached: 7, delivery_ids: [delivery_id], cancelled_at: AT },
};
const refused = attempted({ outcome: 'retry', status_code: 500, next_due_at: AT });
const givenUp = attempted({ outcome: 'failed', status_code: 500 });

describe('a delivery as it is listed', () => {
  const log = () => new GivenLog([webhookDeliveriesProjection]);

  it('shows its latest thirty attempts, and counts all of them', async () => {
    const sent = log().happens(stream, opened(), ...Array.from({ length: 35 }, () => refused));
    await sent.leadsTo(webhookDeliveries, delivery_id, { attempt_count: 35, status: 'pending' });
    const numbers = sent.get(webhookDeliveries, delivery_id)?.attempts.map(({ number }) => number);
    expect(numbers).toEqual(Array.from({ length: 30 }, (_, index) => index + 6));
  });

  it('is cancelled only while it waits', async () => {
    await log().happens(stream, opened(), cancelled).leadsTo(webhookDeliveries, delivery_id, { status: 'cancelled' });
    const gone = { status: 'succeeded', next_attempt_at: null } as const;
    await log().happens(outcomes, accepted(), unsent).leadsTo(webhookDeliveries, delivery_id, gone);
  });

  it('has succeeded once a rewind delivers what was given up', async () => {
    const sent = log().happens(stream, opened(), givenUp).happens(outcomes, accepted('rwd_1'));
    await sent.leadsTo(webhookDeliveries, delivery_id, { status: 'succeeded', next_attempt_at: null });
    expect(sent.get(webhookDeliveries, delivery_id)?.attempts.map(({ kind }) => kind)).toEqual(['initial', 'rewind']);
  });

  it('still waits in its place if it has one, whatever else was accepted meanwhile', async () => {
    const sent = log().happens(stream, opened(), refused).happens(outcomes, accepted('rwd_1'));
    await sent.leadsTo(webhookDeliveries, delivery_id, { status: 'pending', next_attempt_at: AT, attempt_count: 2 });
  });

  it('counts once what is recorded twice, because the store’s first response was lost', () =>
    log().happens(outcomes, accepted(), accepted()).leadsTo(webhookDeliveries, delivery_id, { attempt_count: 1 }));
});
