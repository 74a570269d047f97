import * as payment from '../src/capabilities/payment-requests/payment-request.fixtures';
import * as endpoint from '../src/capabilities/webhooks/webhook-endpoint.fixtures';
import { type DeliveryOutcome } from '../src/events/webhook-outcomes.events';
import { type DomainEvent } from '../src/kernel/decider';
import { AT, GivenLog } from '../test/support/given-log';
import { deliveryIdOf, merchantFeedProjection, type MerchantFeed, merchantFeeds } from './merchant-feed.projection';
import { paymentRequestsProjection } from './payment-requests.projection';
import {
  type WebhookDeliveryDocument,
  webhookDeliveries,
  webhookDeliveriesProjection,
} from './webhook-deliveries.projection';

const projections = [paymentRequestsProjection, merchantFeedProjection, webhookDeliveriesProjection];
const { merchant_id, endpoint_id } = endpoint.created.data;

/** The log of one endpoint and some payment requests. */
class Log extends GivenLog {
  constructor() {
    super(projections);
  }
  ofEndpoint(...events: readonly DomainEvent[]): this {
    return this.happens(`webhook_endpoint-${endpoint_id}`, ...events);
  }
  ofRequest(id: string, ...events: readonly DomainEvent[]): this {
    const own = events.map(({ type, data }) => ({ type, data: { ...data, request_id: id, merchant_id: undefined } }));
    const named = own.map((event) => (event.type === 'PaymentRequestCreated' ? withMerchant(event) : event));
    return this.happens(`payment_request-${id}`, ...named);
  }
  /** What is told to the endpoint, in the order of the feed. */
  told(): string[] {
    return this.of<WebhookDeliveryDocument>(webhookDeliveries)
      .sort((one, other) => Number(one.cursor) - Number(other.cursor))
      .map(({ subject_id, event_type }) => `${subject_id} ${event_type}`);
  }
}

const withMerchant = (event: DomainEvent): DomainEvent => ({ ...event, data: { ...event.data, merchant_id } });
const active = [endpoint.created, endpoint.verified];

describe('who is notified of what', () => {
  it.each([1, 3, 500])('is who was active when it happened, and wanted it (batches of %d)', async (batch) => {
    const log = await new Log()
      .ofRequest('pr_0', payment.created)
      .ofEndpoint(...active)
      .ofRequest('pr_1', payment.created)
      .ofEndpoint(endpoint.disabled('merchant'))
      .ofRequest('pr_2', payment.created)
      .ofEndpoint(endpoint.enabled)
      .ofRequest('pr_3', payment.created)
      .ofEndpoint(endpoint.changed({ events: ['payment_request.signed'] }))
      .ofRequest('pr_4', payment.created, payment.signed)
      .ofEndpoint(endpoint.removed)
      .ofRequest('pr_5', payment.created)
      .projected(batch);
    expect(log.told()).toEqual([
      'pr_1 payment_request.created',
      'pr_3 payment_request.created',
      'pr_4 payment_request.signed',
    ]);
    expect(log.get<MerchantFeed>(merchantFeeds, merchant_id)?.length).toBe(7);
  });

  it('is the same whether events come one by one or all at once', async () => {
    const life = (log: Log): Log =>
      log.ofEndpoint(...active).ofRequest('pr_1', payment.created, payment.signed, payment.broadcasted);
    const [one, all] = [await life(new Log()).projected(1), await life(new Log()).projected(500)];
    expect(all.all()).toBe(one.all());
  });
});

describe('a delivery that is derived', () => {
  const begun = (): Log => new Log().ofEndpoint(...active).ofRequest('pr_1', payment.created);
  const id = deliveryIdOf(endpoint_id, 'evt_3');
  const outcome: DeliveryOutcome = {
    delivery_id: id,
    event_id: 'evt_3',
    event_type: 'payment_request.created',
    subject_id: 'pr_1',
    sequence: 1,
    cursor: 1,
    sent_at: AT,
    status_code: 204,
    duration_ms: 3,
  };
  const recorded = (reached: number, ...outcomes: DeliveryOutcome[]): DomainEvent => ({
    type: 'WebhookDeliveriesRecorded',
    data: { endpoint_id, merchant_id, rewind_id: null, reached, outcomes, recorded_at: AT },
  });
  const outcomes = `webhook_outcomes-${endpoint_id}`;

  it('is pending until it is recorded, counts once however often that happens, and moves its endpoint forward', async () => {
    const before = await begun().projected(500);
    expect(before.get(webhookDeliveries, id)).toMatchObject({ status: 'pending', opened: false, cursor: 1 });
    const log = await begun().happens(outcomes, recorded(1, outcome), recorded(1, outcome)).projected(500);
    expect(log.get(webhookDeliveries, id)).toMatchObject({
      status: 'succeeded',
      attempt_count: 1,
      attempts: [{ number: 1, kind: 'initial', status_code: 204, outcome: 'succeeded' }],
    });
    expect(log.get(merchantFeeds, merchant_id)?.endpoints).toMatchObject([{ reached: 1, outcomes: 2 }]);
  });

  it('is cancelled with its endpoint, which is then forgotten', async () => {
    const deleted = begun().ofEndpoint(endpoint.removed);
    expect((await deleted.projected(500)).get(merchantFeeds, merchant_id)).toMatchObject({
      ending: true,
      endpoints: [{ ends: 1, active: false }],
    });
    const data = { endpoint_id, merchant_id, reached: 1, delivery_ids: [id], cancelled_at: AT };
    const log = begun().ofEndpoint(endpoint.removed).happens(outcomes, { type: 'WebhookDeliveriesCancelled', data });
    await log.projected(500);
    expect(log.get(webhookDeliveries, id)?.status).toBe('cancelled');
    expect(log.get(merchantFeeds, merchant_id)).toMatchObject({ ending: null, endpoints: [] });
  });
});
