import { is } from '../../every-event';
import { type Breach, type Invariant } from '../invariant';

export const traceableDelivery: Invariant = {
  name: 'traceable-delivery',
  says: 'every webhook delivery tells of an event that happened, to an endpoint of the same merchant',
  categories: ['webhook_delivery'],
  async *breaches(events, log): AsyncGenerator<Breach> {
    const [event, ...rest] = events;
    if (!is(event, 'WebhookDeliveryScheduled')) {
      if (event) yield { event, what: 'the stream does not begin with what is to be told' };
      return;
    }
    const { event_id, event_type, subject_id, sequence, merchant_id, endpoint_id } = event.data;
    const category = event_type.split('.')[0] ?? '';
    const subject = await log.stream(category, subject_id);
    if (subject[sequence - 1]?.metadata.event_id !== event_id) {
      yield { event, what: `${event_id} is not event ${sequence} of ${category}-${subject_id}` };
    }
    const [endpoint] = await log.stream('webhook_endpoint', endpoint_id);
    if (!is(endpoint, 'WebhookEndpointCreated') || endpoint.data.merchant_id !== merchant_id) {
      yield { event, what: `endpoint ${endpoint_id} is not the merchant’s` };
    }
    let attempts = 0;
    for (const attempt of rest.filter((one) => is(one, 'WebhookDeliveryAttempted'))) {
      attempts += 1;
      if (attempt.data.number !== attempts) yield { event: attempt, what: `attempt ${attempts} is missing` };
    }
  },
};
