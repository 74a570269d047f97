import * as payment from '../src/capabilities/payment-requests/payment-request.fixtures';
import * as endpoint from '../src/capabilities/webhooks/webhook-endpoint.fixtures';
import { type DeliveryOutcome } from '../src/events/webhook-outcomes.events';
import { type DomainEvent } from '../src/kernel/decider';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { planWrites } from '../src/platform/read-model/plan-writes';
import { type DocumentRef, type DocumentWrite } from '../src/platform/read-model/read-model.port';
import { deliveryIdOf, merchantFeedProjection, type MerchantFeed, merchantFeeds } from './merchant-feed.projection';
import { paymentRequestsProjection } from './payment-requests.projection';
import { type Collection, type Document } from '../src/platform/read-model/projection';
import {
  type WebhookDeliveryDocument,
  webhookDeliveries,
  webhookDeliveriesProjection,
} from './webhook-deliveries.projection';

const projections = [paymentRequestsProjection, merchantFeedProjection, webhookDeliveriesProjection];
const AT = '2030-01-01T00:00:00.000Z';
const { merchant_id, endpoint_id } = endpoint.created.data;

/** A log and the documents it leads to, in one batch or in many. */
class Log {
  private readonly documents = new Map<string, DocumentWrite>();
  private readonly versions = new Map<string, number>();
  readonly events: RecordedEvent[] = [];

  happens(stream: string, ...events: readonly DomainEvent[]): this {
    for (const { type, data } of events) {
      const version = (this.versions.get(stream) ?? 0) + 1;
      this.versions.set(stream, version);
      const position = BigInt(this.events.length + 1);
      const event_id = `evt_${position}`;
      const metadata = { event_id, occurred_at: AT, request_id: 'req_1', actor: { kind: 'test', id: 't' }, schema: 1 };
      this.events.push({ stream, version, type, data, position, metadata });
    }
    return this;
  }
  ofEndpoint(...events: readonly DomainEvent[]): this {
    return this.happens(`webhook_endpoint-${endpoint_id}`, ...events);
  }
  ofRequest(id: string, ...events: readonly DomainEvent[]): this {
    const own = events.map(({ type, data }) => ({ type, data: { ...data, request_id: id, merchant_id: undefined } }));
    const named = own.map((event) => (event.type === 'PaymentRequestCreated' ? withMerchant(event) : event));
    return this.happens(`payment_request-${id}`, ...named);
  }
  async projected(batch: number): Promise<this> {
    const load = (refs: readonly DocumentRef[]) =>
      Promise.resolve(refs.map(({ collection, id }) => this.documents.get(`${collection.name}/${id}`)));
    for (let at = 0; at < this.events.length; at += batch) {
      for (const write of await planWrites(projections, this.events.slice(at, at + batch), load)) {
        const key = `${write.collection.name}/${write.document.id}`;
        if ((this.documents.get(key)?.position ?? 0n) < write.position) this.documents.set(key, write);
      }
    }
    return this;
  }
  get<D extends Document>({ name }: Collection<D>, id: string): D | undefined {
    return this.documents.get(`${name}/${id}`)?.document as D | undefined;
  }
  all(): string {
    return JSON.stringify([...this.documents].sort().map(([key, { document }]) => [key, document]));
  }
  /** What is told to the endpoint, in the order of the feed. */
  told(): string[] {
    return [...this.documents.values()]
      .filter(({ collection }) => collection.name === webhookDeliveries.name)
      .map(({ document }) => document as WebhookDeliveryDocument)
      .sort((one, other) => Number(one.cursor) - Number(other.cursor))
      .map(({ subject_id, event_type }) => `${subject_id} ${event_type}`);
  }
}

const withMerchant = (event: DomainEvent): DomainEvent => ({ ...event, data: { ...event.data, merchant_id } });
const active = [endpoint.created, endpoint.verified];

describe('who is told what', () => {
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

  it('waits until it is recorded, once however often that happens, and the endpoint has come so far', async () => {
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
