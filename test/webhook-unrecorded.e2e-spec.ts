import { webhookDeliveries } from '../projections/webhook-deliveries.projection';
import { WINDOW } from '../src/capabilities/webhooks/send-window';
import { EVENT_STORE, type EventStore } from '../src/platform/event-store/event-store.port';
import { READ_MODEL, type ReadModel } from '../src/platform/read-model/read-model.port';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { createPayment } from './support/payments';
import { openEndpoint, scheduleDelivery } from './support/webhook-deliveries';
import { activeEndpoint, deliveriesOf } from './support/webhook-receiver';
import { useWebhookScene } from './support/use-service';

const BODY = JSON.stringify({ type: 'payment_request.created', data: {} });
/** Enough to notice resending: each failure used to cause another message. */
const TRIES = 4;

describeOnEachPair('outcomes that cannot be recorded through a fault of our own', (start) => {
  const { service, scene, receiver } = useWebhookScene({ start });
  let store: EventStore;

  beforeAll(async () => {
    store = service.app.get<EventStore>(EVENT_STORE);
  });
  afterEach(() => jest.restoreAllMocks());

  /** Makes appends of this event type for the endpoint fail until it is repaired. */
  const breakAppends = (type: string, endpointId: string) => {
    const append = store.append.bind(store);
    const broken = { tries: 0, isMended: false };
    jest.spyOn(store, 'append').mockImplementation((stream, version, events) => {
      const isOurs = events.some(
        ({ type: found, data }) => found === type && (data as { endpoint_id?: string }).endpoint_id === endpointId,
      );
      if (!isOurs || broken.isMended) return append(stream, version, events);
      broken.tries += 1;
      return Promise.reject(new Error('a defect'));
    });
    return broken;
  };
  const metric = async (name: string): Promise<number> =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec((await call(`${service.url}/metrics`)).text)?.[1]);
  const isTriedAgain = (broken: Readonly<{ tries: number }>, outcomes = 1): Promise<unknown> =>
    eventually(
      async () => broken.tries,
      (tries) => tries >= TRIES * outcomes,
      'recording tried again',
    );
  const isDelivered = (endpointId: string, count: number): Promise<unknown> =>
    eventually(
      () => deliveriesOf(service, scene.merchant, `endpoint_id=${endpointId}`),
      (seen) => seen.filter(({ status }) => status === 'succeeded').length === count,
      `${count} delivered`,
    );
  const told = (path: string) => receiver.received.filter((message) => message.path === `/hook/${path}`);

  it('are recorded later: accepted messages are not sent again, and other endpoints do not wait', async () => {
    const { endpointId } = await activeEndpoint(service, scene.merchant, `${receiver.url}/live`);
    const { endpointId: other } = await activeEndpoint(service, scene.merchant, `${receiver.url}/other`);
    const broken = breakAppends('WebhookDeliveriesRecorded', endpointId);
    await createPayment(service, scene);
    await isTriedAgain(broken);
    expect(told('live')).toHaveLength(1);
    expect(await metric('svc_webhook_outcomes_stuck')).toBe(1);
    expect(await metric('svc_webhook_sending_paused')).toBe(0);
    await isDelivered(other, 1);
    broken.isMended = true;
    await isDelivered(endpointId, 1);
    expect(told('live')).toHaveLength(1);
    expect(await metric('svc_webhook_outcomes_stuck')).toBe(0);
  });

  it('neither repeat an attempt of a due delivery, nor delay the deliveries next to it', async () => {
    const { endpointId } = await openEndpoint(service, `${receiver.url}/due`);
    const broken = breakAppends('WebhookDeliveryAttempted', endpointId);
    // More than may initially be in flight to one endpoint.
    const ids: string[] = [];
    for (let count = 0; count <= WINDOW.first; count += 1) ids.push(await scheduleDelivery(service, endpointId, BODY));
    await receiver.until(() => new Set(told('due').map(({ id }) => id)).size === ids.length);
    await isTriedAgain(broken, ids.length);
    expect(told('due')).toHaveLength(ids.length);
    broken.isMended = true;
    const model = service.app.get<ReadModel>(READ_MODEL);
    await eventually(
      () => Promise.all(ids.map((id) => model.get(webhookDeliveries, id))),
      (seen) => seen.every((delivery) => delivery?.status === 'succeeded'),
      'all of them recorded',
    );
    expect(told('due')).toHaveLength(ids.length);
  });
});
