import { Webhook } from 'standardwebhooks';
import { projections } from '../projections';
import { EVENT_STORE, type EventStore, LOG_START } from '../src/platform/event-store/event-store.port';
import { pause } from '../src/kernel/pause';
import { READ_MODEL_STORE, type ReadModelStore } from '../src/platform/read-model/read-model.port';
import { call } from './support/http';
import { signUpMerchant } from './support/merchant';
import { outboxOf } from './support/outbox';
import { describeOnEachPair } from './support/pairs';
import { createPayment, pollEvents, readPayment, refusal, reportPayment } from './support/payments';
import {
  activeEndpoint,
  answering,
  createEndpoint,
  deliveriesOf,
  startWebhookReceiver,
  type WebhookReceiver,
} from './support/webhook-receiver';
import { useScene } from './support/use-service';

const HASH = 'ab'.repeat(32);

describeOnEachPair('webhooks', (start) => {
  let receiver: WebhookReceiver;
  const endpoint = (id: string, rest = ''): string => `${service.url}/v1/webhook-endpoints/${id}${rest}`;

  const { service, dns, scene } = useScene({ start, env: { ALLOW_PRIVATE_NETWORKS: 'true' } });
  beforeAll(async () => {
    receiver = await startWebhookReceiver();
  });
  afterAll(() => receiver.close());

  const newRequest = async (): Promise<string> =>
    (await createPayment(service, scene)).body.payment_request.request_id as string;
  const about = (id: string) => receiver.received.filter(({ data }) => data['request_id'] === id);

  it('report a payment, signed, in order, with the request as it was at that time', async () => {
    const { headers } = scene.merchant;
    const { endpointId, secret } = await activeEndpoint(service, scene.merchant, receiver.url);
    const early = await newRequest();
    for (const body of [
      { status: 'signed' },
      { status: 'broadcasted', transaction_hash: HASH },
      { status: 'confirmed', transaction_hash: HASH, ledger: 7 },
    ]) {
      expect((await reportPayment(service, scene, early, body)).status).toBe(200);
    }
    await receiver.until(() => about(early).length === 4);

    const messages = about(early);
    expect(messages.map(({ type }) => type)).toEqual(
      ['created', 'signed', 'broadcasted', 'confirmed'].map((name) => `payment_request.${name}`),
    );
    const polled = (await pollEvents(service, scene)).body.events as Record<string, unknown>[];
    const told = polled.filter(({ request_id }) => request_id === early);
    messages.forEach(({ body, headers: sent, data, type }, index) => {
      const { cursor: _, ...event } = told[index] ?? {};
      const { payment_request, ...rest } = data;
      expect(rest).toEqual(event);
      expect(payment_request).toMatchObject({ request_id: early, version: index + 1, status: event['status'] });
      expect(JSON.parse(body)).toMatchObject({ type, timestamp: event['occurred_at'] });
      expect(sent['content-type']).toBe('application/json');
      expect(() => new Webhook(secret).verify(body, sent)).not.toThrow();
    });
    const now = (await readPayment(service, scene, early)).body.payment_request as object;
    expect(messages.at(-1)?.data['payment_request']).toEqual(now);

    // The receiver responds before the attempt is recorded.
    let listed = await deliveriesOf(service, scene.merchant, `endpoint_id=${endpointId}&status=succeeded`);
    while (listed.length < 4) {
      await pause(10);
      listed = await deliveriesOf(service, scene.merchant, `endpoint_id=${endpointId}&status=succeeded`);
    }
    expect(new Set(listed.map(({ webhook_delivery_id }) => webhook_delivery_id as string))).toEqual(
      new Set(messages.map(({ id }) => id)),
    );
    expect(listed[0]).toMatchObject({
      webhook_endpoint_id: endpointId,
      attempt_count: 1,
      attempts: [{ number: 1, kind: 'initial', status_code: 204, error_kind: null, outcome: 'succeeded' }],
    });
    expect(await call(endpoint(endpointId), { method: 'DELETE', headers, body: {} })).toMatchObject({ status: 200 });
    expect(refusal(await call(endpoint(endpointId), { headers }))).toEqual([404, 'resource_not_found']);
  });

  it('report a connection', async () => {
    const events = ['connection.paused', 'connection.resumed'];
    await activeEndpoint(service, scene.merchant, `${receiver.url}/connections`, { events });
    const id = scene.connection.connectionId;
    for (const status of ['paused', 'active']) {
      const body = { status };
      await call(`${service.url}/v1/connections/${id}`, { method: 'PATCH', headers: scene.device.headers, body });
    }
    const told = () => receiver.received.filter(({ path }) => path === '/hook/connections');
    await receiver.until(() => told().length === 2);
    expect(told().map(({ type, data }) => [type, data['status'], data['connection_id']])).toEqual([
      ['connection.paused', 'paused', id],
      ['connection.resumed', 'active', id],
    ]);
    expect(told()[0]?.data).toMatchObject({ agent_id: scene.agent.agentId, agent_name: 'Checkout agent' });
    expect(JSON.stringify(told())).not.toContain(scene.device.deviceId);
  });

  it('are sent only to active endpoints, and only with the requested types', async () => {
    const { headers } = scene.merchant;
    const quiet = await startWebhookReceiver();
    const created = await createEndpoint(service, scene.merchant, { url: quiet.url });
    expect(created.body.webhook_endpoint).toMatchObject({ status: 'pending', disabled_reason: null, version: 1 });
    const picky = await activeEndpoint(service, scene.merchant, quiet.url, { events: ['payment_request.rejected'] });
    const first = await newRequest();
    await reportPayment(service, scene, first, { status: 'rejected', reason: 'too dear' });
    await quiet.until(() => quiet.received.length === 1);
    expect(quiet.received[0]).toMatchObject({
      type: 'payment_request.rejected',
      data: { data: { reason: 'too dear' } },
    });

    const off = { version: picky.version, status: 'disabled' };
    const disabled = await call(endpoint(picky.endpointId), { method: 'PATCH', headers, body: off });
    expect(disabled.body.webhook_endpoint).toMatchObject({ status: 'disabled', disabled_reason: 'merchant' });
    await reportPayment(service, scene, await newRequest(), { status: 'rejected' });
    const on = { version: picky.version + 1, status: 'active' };
    await call(endpoint(picky.endpointId), { method: 'PATCH', headers, body: on });
    const last = await newRequest();
    await reportPayment(service, scene, last, { status: 'rejected' });
    await quiet.until(() => quiet.received.length >= 2);
    expect(quiet.received.map(({ data }) => data['request_id'] as string)).toEqual([first, last]);
    await quiet.close();
  });

  it('are verified by echoing a challenge, and again for another URL', async () => {
    const { headers } = scene.merchant;
    const created = await createEndpoint(service, scene.merchant, { url: `${receiver.url}/a`, description: 'mine' });
    const id = created.body.webhook_endpoint.webhook_endpoint_id as string;
    const secret = created.body.secret as string;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await call(endpoint(id, '/verify'), { headers, body: {} })).body.webhook_endpoint.status).toBe('active');
    const asked = receiver.verifications.at(-1);
    expect(() => new Webhook(secret).verify(asked?.body ?? '', asked?.headers ?? {})).not.toThrow();

    const patch = (body: object) => call(endpoint(id), { method: 'PATCH', headers, body });
    expect(refusal(await patch({ version: 1, description: 'x' }))).toEqual([409, 'version_conflict']);
    const moved = await patch({ version: 2, url: 'http://127.0.0.1:1/' });
    expect(moved.body.webhook_endpoint).toMatchObject({ status: 'pending', verified_at: null, version: 3 });
    expect(refusal(await patch({ version: 3, status: 'active' }))).toEqual([409, 'invalid_status_transition']);
    const failed = await call(endpoint(id, '/verify'), { headers, body: {} });
    expect(refusal(failed)).toEqual([422, 'webhook_verification_failed']);
    expect(failed.body.error.details).toEqual({ error_kind: 'connect_failed' });
  });

  it('are signed with both secrets while one replaces the other', async () => {
    const { headers } = scene.merchant;
    const hook = `${receiver.url}/rotating`;
    const { endpointId, secret } = await activeEndpoint(service, scene.merchant, hook);
    const rotated = await call(endpoint(endpointId, '/rotate-secret'), { headers, body: {} });
    const fresh = rotated.body.secret as string;
    expect(fresh).not.toBe(secret);
    const id = await newRequest();
    const mine = () =>
      receiver.received.find(({ path, data }) => path === '/hook/rotating' && data['request_id'] === id);
    await receiver.until(() => mine() !== undefined);
    const { body = '', headers: sent = {} } = mine() ?? {};
    expect(sent['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const key of [secret, fresh]) expect(() => new Webhook(key).verify(body, sent)).not.toThrow();
    const flipped = `${body.slice(0, 20)}${body[20] === 'a' ? 'b' : 'a'}${body.slice(21)}`;
    expect(() => new Webhook(fresh).verify(flipped, sent)).toThrow();
    const texts: string[] = [];
    for (const { data } of await service.app.get<EventStore>(EVENT_STORE).readAll(LOG_START, 10_000)) {
      texts.push(JSON.stringify(data));
    }
    const readStore = service.app.get<ReadModelStore>(READ_MODEL_STORE);
    for (const collection of projections.flatMap(({ collections }) => collections)) {
      for await (const { document } of readStore.dump(collection)) texts.push(JSON.stringify(document));
    }
    expect(texts.filter((text) => text.includes('whsec_') || text.includes(fresh.slice(6)))).toEqual([]);
    for (const text of [(await call(endpoint(endpointId), { headers })).text, service.log()]) {
      expect(text).not.toContain(fresh);
      expect(text).not.toContain('whsec_');
    }
  });

  it('are sent again on demand, with the same id and bytes', async () => {
    const { headers } = scene.merchant;
    const hook = `${receiver.url}/again`;
    const { endpointId } = await activeEndpoint(service, scene.merchant, hook);
    await newRequest();
    const mine = () => receiver.received.filter(({ path }) => path === '/hook/again');
    await receiver.until(() => mine().length === 1);
    const deliveryId = mine()[0]?.id ?? '';
    const redeliver = `${service.url}/v1/webhook-deliveries/${deliveryId}/redeliver`;
    const again = await call(redeliver, { headers, body: {} });
    expect([again.status, again.body.webhook_delivery.webhook_delivery_id]).toEqual([202, deliveryId]);
    await receiver.until(() => mine().length === 2);
    expect(mine()[1]?.body).toBe(mine()[0]?.body);
    expect(mine()[1]?.id).toBe(deliveryId);
    for (;;) {
      const [delivery] = await deliveriesOf(service, scene.merchant, `endpoint_id=${endpointId}`);
      if (delivery?.['attempt_count'] === 2) {
        const read = await call(`${service.url}/v1/webhook-deliveries/${deliveryId}`, { headers });
        expect([read.status, read.body]).toEqual([200, { ok: true, webhook_delivery: delivery }]);
        expect(delivery['attempts']).toMatchObject([{ kind: 'initial' }, { kind: 'manual', outcome: 'succeeded' }]);
        break;
      }
      await pause(10);
    }

    const stranger = await signUpMerchant(service, { dns });
    for (const answer of [
      await call(redeliver, { headers: stranger.headers, body: {} }),
      await call(`${service.url}/v1/webhook-deliveries/${deliveryId}`, { headers: stranger.headers }),
      await call(endpoint(endpointId), { headers: stranger.headers }),
      await call(endpoint(endpointId, '/rotate-secret'), { headers: stranger.headers, body: {} }),
      await call(endpoint(endpointId, '/verify'), { headers: stranger.headers, body: {} }),
      await call(endpoint(endpointId), { method: 'DELETE', headers: stranger.headers, body: {} }),
      await call(endpoint(endpointId, '/recover'), {
        headers: stranger.headers,
        body: { since: new Date().toISOString() },
      }),
    ]) {
      expect(refusal(answer)).toEqual([404, 'resource_not_found']);
    }
    expect(await deliveriesOf(service, stranger, `endpoint_id=${endpointId}`)).toEqual([]);
  });

  it('disable an endpoint that says it is gone, and notify its owner', async () => {
    const { headers, email } = scene.merchant;
    const gone = await startWebhookReceiver();
    gone.behave(answering(410));
    const { endpointId } = await activeEndpoint(service, scene.merchant, gone.url);
    await newRequest();
    for (;;) {
      const { body } = await call(endpoint(endpointId), { headers });
      if (body.webhook_endpoint.status === 'disabled') {
        expect(body.webhook_endpoint.disabled_reason).toBe('gone');
        break;
      }
      await pause(10);
    }
    for (;;) {
      const notice = outboxOf(service).find(({ subject }) => subject.includes('switched off'));
      if (notice !== undefined) {
        expect(notice.to).toBe(email);
        break;
      }
      await pause(10);
    }
    await gone.close();
  });
});
