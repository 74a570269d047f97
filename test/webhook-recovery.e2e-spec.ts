import { Webhook } from 'standardwebhooks';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { createPayment, refusal, reportPayment } from './support/payments';
import {
  activeEndpoint,
  answering,
  createEndpoint,
  deliveriesOf,
  startWebhookReceiver,
  type WebhookReceiver,
} from './support/webhook-receiver';
import { useScene } from './support/use-service';

describeOnEachPair('undelivered webhooks', (start) => {
  let receiver: WebhookReceiver;

  const { service, scene } = useScene({ start, env: { ALLOW_PRIVATE_NETWORKS: 'true' } });
  beforeAll(async () => {
    receiver = await startWebhookReceiver();
  });
  afterAll(() => receiver.close());

  const post = (path: string, body: object = {}) =>
    call(`${service.url}/v1/${path}`, { headers: scene.merchant.headers, body });
  const newRequest = async (): Promise<string> =>
    (await createPayment(service, scene)).body.payment_request.request_id as string;
  const deliveries = (endpointId: string, rest = '') =>
    deliveriesOf(service, scene.merchant, `endpoint_id=${endpointId}${rest}`);
  const untilDeliveries = (endpointId: string, rest: string, count: number) =>
    eventually(
      () => deliveries(endpointId, rest),
      ({ length }) => length === count,
      `${count} deliveries ${rest}`,
    );

  /** An endpoint whose receiver refuses: one payment request is partly delivered and waits. */
  async function stuck(path: string) {
    // Nothing is sent again by itself before the test ends, however slow the machine is.
    receiver.behave(answering(500, { 'retry-after': '3600' }));
    const { endpointId } = await activeEndpoint(service, scene.merchant, `${receiver.url}${path}`);
    const since = new Date(Date.now() - 60_000).toISOString();
    const request = await newRequest();
    await reportPayment(service, scene, request, { status: 'signed' });
    const [signed, created] = await eventually(
      () => deliveries(endpointId, '&status=pending'),
      (found) => found.length === 2 && found[1]?.['attempt_count'] === 1,
      'a delivery that failed, and one behind it',
    );
    const told = () => receiver.received.filter((message) => message.path === `/hook${path}`);
    return { endpointId, since, request, signed: signed!, created: created!, told };
  }

  it('are listed while they wait, with the attempts so far and what is queued behind', async () => {
    const { signed, created, endpointId } = await stuck('/listed');
    expect(created).toMatchObject({ event_type: 'payment_request.created', status: 'pending', attempt_count: 1 });
    expect(signed).toMatchObject({ event_type: 'payment_request.signed', status: 'pending', attempt_count: 0 });
    await call(`${service.url}/v1/webhook-endpoints/${endpointId}`, {
      method: 'DELETE',
      headers: scene.merchant.headers,
      body: {},
    });
    await untilDeliveries(endpointId, '&status=cancelled', 2);
    const redelivered = await post(`webhook-deliveries/${created['webhook_delivery_id']}/redeliver`);
    expect(refusal(redelivered)).toEqual([409, 'invalid_status_transition']);
    expect(redelivered.body.error.message).toContain('create another');
  });

  it('are sent in order if a later one is requested, which shows what it waits for', async () => {
    const { signed, created, told } = await stuck('/behind');
    receiver.behave(answering(204));
    const { status, body } = await post(`webhook-deliveries/${signed['webhook_delivery_id']}/redeliver`);
    expect([status, body.waits_for]).toEqual([202, created['webhook_delivery_id']]);
    await receiver.until(() => told().some(({ id }) => id === signed['webhook_delivery_id']));
    expect(told().map(({ type }) => type)).toEqual([
      'payment_request.created',
      'payment_request.created',
      'payment_request.signed',
    ]);
    expect(
      new Set(
        told()
          .slice(0, 2)
          .map(({ body: text }) => text),
      ).size,
    ).toBe(1);
    const again = await post(`webhook-deliveries/${created['webhook_delivery_id']}/redeliver`);
    expect(again.body.waits_for).toBeNull();
  });

  it('are recovered at once, including those that wait for a retry, and counted', async () => {
    const { endpointId, since, told } = await stuck('/recovered');
    receiver.behave(answering(204));
    const later = new Date(Date.now() + 60_000).toISOString();
    const none = await post(`webhook-endpoints/${endpointId}/recover`, { since: later });
    expect([none.status, none.body.count]).toEqual([202, 0]);
    const { status, body } = await post(`webhook-endpoints/${endpointId}/recover`, { since });
    expect([status, body.count]).toEqual([202, 2]);
    await untilDeliveries(endpointId, '&status=succeeded', 2);
    expect(told().at(-1)?.type).toBe('payment_request.signed');
    expect((await post(`webhook-endpoints/${endpointId}/recover`, { since })).body.count).toBe(0);
  });

  it('are not sent to an endpoint that was never verified', async () => {
    const made = await createEndpoint(service, scene.merchant, { url: receiver.url });
    const id = made.body.webhook_endpoint.webhook_endpoint_id as string;
    const recovered = await post(`webhook-endpoints/${id}/recover`, { since: new Date().toISOString() });
    expect(refusal(recovered)).toEqual([409, 'invalid_status_transition']);
    expect(recovered.body.error.message).toContain('verify it');
  });

  it('can be investigated with a test message, signed like any other', async () => {
    receiver.behave(answering(204));
    const { endpointId, secret } = await activeEndpoint(service, scene.merchant, `${receiver.url}/test`);
    const { status, body } = await post(`webhook-endpoints/${endpointId}/test`);
    expect([status, body.test]).toMatchObject([200, { delivered: true, status_code: 204, error_kind: null }]);
    const message = receiver.received.find(({ type, path }) => type === 'webhook.test' && path === '/hook/test');
    expect(message).toMatchObject({ id: body.test.message_id, data: { webhook_endpoint_id: endpointId } });
    expect(() => new Webhook(secret).verify(message?.body ?? '', message?.headers ?? {})).not.toThrow();
    receiver.behave(answering(503));
    const refused = (await post(`webhook-endpoints/${endpointId}/test`)).body.test;
    expect(refused).toMatchObject({ delivered: false, status_code: 503, error_kind: 'bad_status' });
    receiver.behave(answering(204));
    expect((await deliveries(endpointId)).filter(({ event_type }) => event_type === 'webhook.test')).toEqual([]);
  });
});

describeOnEachPair('a webhook that failed while the clock was ahead', (start) => {
  let receiver: WebhookReceiver;
  let ahead = 0;
  const clock = { now: () => new Date(Date.now() + ahead) };
  const { service, scene } = useScene({ start, clock, env: { ALLOW_PRIVATE_NETWORKS: 'true' } });
  beforeAll(async () => {
    receiver = await startWebhookReceiver();
  });
  afterAll(() => receiver.close());

  it('is sent again when it was to be, once the clock is corrected', async () => {
    const { endpointId } = await activeEndpoint(service, scene.merchant, `${receiver.url}/ahead`);
    receiver.behave(answering(500));
    ahead = 50_000;
    await createPayment(service, scene);
    await eventually(
      () => deliveriesOf(service, scene.merchant, `endpoint_id=${endpointId}&status=pending`),
      ([delivery]) => delivery?.['attempt_count'] === 1,
      'a delivery that failed',
    );
    receiver.behave(answering(200));
    ahead = 0;
    const from = performance.now();
    await eventually(
      () => deliveriesOf(service, scene.merchant, `endpoint_id=${endpointId}&status=succeeded`),
      ({ length }) => length === 1,
      'the delivery',
    );
    const seconds = (performance.now() - from) / 1_000;
    expect(seconds).toBeGreaterThan(2);
    expect(seconds).toBeLessThan(15);
  }, 60_000);
});
