import { deliveryIdOf } from '../../../../../projections/merchant-feed.projection';
import { subjectCategoryOf, webhookTypeOf } from '../../../../../projections/webhook-types';
import { type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { is } from '../../../../events';
import { type Breach, type Invariant, type Log } from '../invariant';
import { type EndpointId, type MerchantId } from '../../../../kernel/aggregates';

type ReportedEvent = Readonly<{ event_id: string; event_type: string; subject_id: string; sequence: number }>;

export const traceableDelivery: Invariant = {
  name: 'traceable-delivery',
  says: 'every webhook delivery reports an event that happened, to an endpoint of the same merchant',
  categories: ['webhook_delivery', 'webhook_outcomes'],
  async *breaches(events, log): AsyncGenerator<Breach> {
    const [first, ...rest] = events;
    if (is(first, 'WebhookDeliveryScheduled') || is(first, 'WebhookDeliveryOpened')) {
      yield* untraceableEvents(first, first.data, first.data.merchant_id, log);
      yield* foreign(first, first.data, log);
      yield* missingAttempts(rest, is(first, 'WebhookDeliveryOpened') ? first.data.attempts : 0);
      return;
    }
    for (const event of events) yield* outcomeBreaches(event, log);
  },
};

/** Each outcome must be of the delivery that is derived from its endpoint and its event. */
async function* outcomeBreaches(event: RecordedEvent, log: Log): AsyncGenerator<Breach> {
  if (is(event, 'WebhookDeliveriesRecorded')) {
    const { endpoint_id, merchant_id, outcomes } = event.data;
    yield* foreign(event, event.data, log);
    for (const outcome of outcomes) {
      yield* untraceableEvents(event, outcome, merchant_id, log);
      if (outcome.delivery_id !== deliveryIdOf(endpoint_id, outcome.event_id)) {
        yield { event, what: `${outcome.delivery_id} is not the delivery of ${outcome.event_id} to ${endpoint_id}` };
      }
    }
  } else if (is(event, 'WebhookDeliveriesCancelled')) {
    yield* foreign(event, event.data, log);
  } else {
    yield { event, what: 'the stream does not begin with the event to deliver' };
  }
}

async function* untraceableEvents(
  event: RecordedEvent,
  { event_id, event_type, subject_id, sequence }: ReportedEvent,
  merchantId: MerchantId,
  log: Log,
): AsyncGenerator<Breach> {
  const category = subjectCategoryOf(event_type);
  const subject = await log.stream(category as 'payment_request', subject_id);
  const reported = subject[sequence - 1];
  if (reported?.metadata.event_id !== event_id) {
    yield { event, what: `${event_id} is not event ${sequence} of ${category}-${subject_id}` };
    return;
  }
  if (webhookTypeOf(reported) !== event_type) yield { event, what: `${event_id} is not ${event_type}` };
  // Only the first event of each of these streams always names the merchant.
  const { merchant_id: owner } = subject[0]?.data as Readonly<{ merchant_id?: MerchantId }>;
  if (owner !== merchantId) yield { event, what: `${category}-${subject_id} is not the merchant’s` };
}

async function* foreign(
  event: RecordedEvent,
  { endpoint_id, merchant_id }: Readonly<{ endpoint_id: EndpointId; merchant_id: MerchantId }>,
  log: Log,
): AsyncGenerator<Breach> {
  const [endpoint] = await log.stream('webhook_endpoint', endpoint_id);
  if (!is(endpoint, 'WebhookEndpointCreated') || endpoint.data.merchant_id !== merchant_id) {
    yield { event, what: `endpoint ${endpoint_id} is not the merchant’s` };
  }
}

function* missingAttempts(events: readonly RecordedEvent[], before: number): Generator<Breach> {
  let attempts = before;
  for (const attempt of events.filter((one) => is(one, 'WebhookDeliveryAttempted'))) {
    attempts += 1;
    if (attempt.data.number !== attempts) yield { event: attempt, what: `attempt ${attempts} is missing` };
  }
}
