import { type ServerResponse } from 'node:http';
import { DeletedEndpoints } from '../src/capabilities/webhooks/deleted-endpoints';
import { DeliveryAttempts } from '../src/capabilities/webhooks/delivery-attempts';
import { WebhookDispatcher } from '../src/capabilities/webhooks/webhook-dispatcher';
import { pause } from '../src/kernel/pause';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { createPayment } from './support/payments';
import { activeEndpoint, deliveriesOf } from './support/webhook-receiver';
import { useWebhookScene } from './support/use-service';

describe('an endpoint', () => {
  const { service, scene, receiver } = useWebhookScene();

  afterEach(() => jest.restoreAllMocks());

  it('that has moved is not disabled by a late response from its old URL', async () => {
    const { headers } = scene.merchant;
    const { endpointId, version } = await activeEndpoint(service, scene.merchant, `${receiver.url}/old`);
    let late: ServerResponse | undefined;
    receiver.behave(({ path }, _request, response) => {
      if (path === '/hook/old') late = response;
      else response.writeHead(204).end();
    });
    await createPayment(service, scene);
    await receiver.until(() => late !== undefined);
    const own = `${service.url}/v1/webhook-endpoints/${endpointId}`;
    const moved = await call(own, { method: 'PATCH', headers, body: { version, url: `${receiver.url}/new` } });
    expect(moved.status).toBe(200);
    expect((await call(`${own}/verify`, { headers, body: {} })).status).toBe(200);
    late?.writeHead(410).end();
    await pause(500);
    expect((await call(own, { headers })).body.webhook_endpoint.status).toBe('active');
    await call(own, { method: 'DELETE', headers, body: {} });
  });

  it('is sent nothing more once sending stops, however long a sweep takes to finish', async () => {
    const dispatcher = service.app.get(WebhookDispatcher);
    const attempts = service.app.get(DeliveryAttempts);
    await dispatcher.stop();
    // A sweep that waits for a store: for an append, or for the read model to catch up (up to 5 s).
    let isSweeping = false;
    jest.spyOn(service.app.get(DeletedEndpoints), 'cancelOpened').mockImplementation(async () => {
      isSweeping = true;
      await pause(4_000);
    });
    // A deleted endpoint with an open delivery.
    const { headers } = scene.merchant;
    const gone = await activeEndpoint(service, scene.merchant, `${receiver.url}/gone`);
    receiver.behave(({ path }, _request, response) => {
      if (path === '/hook/gone') response.writeHead(500).end();
    });
    await dispatcher.start();
    await createPayment(service, scene);
    await receiver.until(() => receiver.received.some(({ path }) => path === '/hook/gone'));
    await eventually(
      () => deliveriesOf(service, scene.merchant, `endpoint_id=${gone.endpointId}`),
      (found) => found.some(({ attempt_count }) => attempt_count === 1),
      'a recorded attempt',
    );
    await call(`${service.url}/v1/webhook-endpoints/${gone.endpointId}`, { method: 'DELETE', headers, body: {} });
    // Another endpoint that accepts a message and does not answer.
    await activeEndpoint(service, scene.merchant, `${receiver.url}/silent`);
    for (let number = 0; number < 12; number += 1) await createPayment(service, scene);
    const silent = (): number => receiver.received.filter(({ path }) => path === '/hook/silent').length;
    await receiver.until(() => silent() === 8);
    while (!isSweeping) await pause(10);
    const post = attempts.post.bind(attempts);
    let posts = 0;
    jest.spyOn(attempts, 'post').mockImplementation((...args) => {
      posts += 1;
      // It used to loop here without yielding, so that not even this test could end it.
      return posts > 20_000 ? new Promise(() => undefined) : post(...args);
    });
    const stopping = dispatcher.stop();
    await Promise.race([stopping, pause(6_000)]);
    expect(posts).toBe(0);
    await stopping;
  });
});
