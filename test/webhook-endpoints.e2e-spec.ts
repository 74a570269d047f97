import { type IncomingMessage, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { type DnsResponder } from './support/dns-responder';
import { type Answer, call } from './support/http';
import { startHttpPeer } from './support/loopback-peers';
import { type Operator, signUpMerchant } from './support/merchant';
import { issues, refusal, startPaymentDns } from './support/payments';
import { startTestService, type TestService } from './support/service';
import { activeEndpoint, createEndpoint, startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver';

describe('webhook endpoints', () => {
  let service: TestService;
  let dns: DnsResponder;
  let merchant: Operator;
  let receiver: WebhookReceiver;
  let peer: Awaited<ReturnType<typeof startHttpPeer>>;
  let peerAnswer = 200;
  const endpoint = (id: string, rest = ''): string => `${service.url}/v1/webhook-endpoints/${id}${rest}`;

  beforeAll(async () => {
    const { dns: responder, env } = await startPaymentDns();
    dns = responder;
    receiver = await startWebhookReceiver();
    peer = await startHttpPeer((_request, response) =>
      response.writeHead(peerAnswer, { location: receiver.url }).end(),
    );
    service = await startTestService({ env: { ...env, ALLOW_PRIVATE_NETWORKS: 'true' } });
    merchant = await signUpMerchant(service, { dns });
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
    await receiver.close();
    await peer.close();
  });

  it('sign with every secret of the last 24 hours, however many there were', async () => {
    const { headers } = merchant;
    const { endpointId, secret } = await activeEndpoint(service, merchant, receiver.url);
    const secrets = [secret];
    for (let rotations = 0; rotations < 2; rotations += 1) {
      const rotated = await call(endpoint(endpointId, '/rotate-secret'), { headers, body: {} });
      secrets.push(rotated.body.secret as string);
    }
    expect((await call(endpoint(endpointId, '/verify'), { headers, body: {} })).status).toBe(200);
    const asked = receiver.verifications.at(-1);
    expect(asked?.headers['webhook-signature']?.split(' ')).toHaveLength(3);
    for (const each of secrets) {
      expect(() => new Webhook(each).verify(asked?.body ?? '', asked?.headers ?? {})).not.toThrow();
    }
  });

  it('report a malformed URL together with the other problems', async () => {
    const { headers } = merchant;
    const { endpointId, version } = await activeEndpoint(service, merchant, receiver.url);
    const create = (body: object) => createEndpoint(service, merchant, body);
    const change = (body: object) =>
      call(endpoint(endpointId), { method: 'PATCH', headers, body: { version, ...body } });
    for (const send of [create, change]) {
      for (const [url, code] of [
        ['nope', 'malformed'],
        ['https://x.example/ y', 'malformed'],
        ['https://x.example/#a', 'fragment_not_allowed'],
        ['https://u:p@x.example/', 'credentials_not_allowed'],
        [`https://x.example/${'a'.repeat(2048)}`, 'too_long'],
        [`https://x.example/${'ü'.repeat(500)}`, 'too_long'],
      ]) {
        const answer = await send({ url });
        expect(refusal(answer)).toEqual([400, 'validation_failed']);
        expect(issues(answer)).toEqual([[code, 'url']]);
        expect(answer.body.error.field).toBe('url');
      }
      const all = await send({ url: 'nope', events: ['bogus'], description: 5 });
      expect(issues(all)).toEqual([
        ['malformed', 'url'],
        ['not_allowed', 'events.0'],
        ['wrong_type', 'description'],
      ]);
      const twice = await send({ url: 'nope', events: ['connection.created', 'bogus', 'connection.created'] });
      expect(issues(twice)).toEqual([
        ['malformed', 'url'],
        ['not_allowed', 'events.1'],
        ['repeated', 'events.2'],
      ]);
      expect(issues(await send({ events: Array(30).fill('connection.created') }))).toContainEqual([
        'too_long',
        'events',
      ]);
      expect(refusal(await send({ url: 'ftp://x.example/' }))).toEqual([422, 'destination_not_allowed']);
    }
  });

  it('lose their description when it is sent as null', async () => {
    const { headers } = merchant;
    const created = await createEndpoint(service, merchant, { url: receiver.url, description: null });
    expect(created.body.webhook_endpoint).toMatchObject({ description: null, version: 1 });
    const id = created.body.webhook_endpoint.webhook_endpoint_id as string;
    for (const [version, description] of [
      [1, 'mine'],
      [2, null],
    ]) {
      const changed = await call(endpoint(id), { method: 'PATCH', headers, body: { version, description } });
      expect([changed.status, changed.body.webhook_endpoint?.description]).toEqual([200, description]);
    }
    expect((await call(endpoint(id), { headers })).body.webhook_endpoint.description).toBeNull();
  });

  it.each([
    [302, 'redirect_not_followed'],
    [500, 'bad_status'],
    [200, 'challenge_not_repeated'],
  ])('say why a response with %i does not verify', async (status, error_kind) => {
    const { headers } = merchant;
    peerAnswer = status;
    const { body } = await createEndpoint(service, merchant, { url: `http://127.0.0.1:${peer.port}/` });
    const id = body.webhook_endpoint.webhook_endpoint_id as string;
    const asked = receiver.verifications.length;
    const answer = await call(endpoint(id, '/verify'), { headers, body: {} });
    expect(refusal(answer)).toEqual([422, 'webhook_verification_failed']);
    expect(answer.body.error.details).toEqual({ status_code: status, error_kind });
    expect(receiver.verifications.length).toBe(asked);
  });

  it.each([
    ['pending', [{ status: 'disabled' }]],
    ['active', [{ status: 'disabled' }]],
    ['disabled', [{ status: 'active' }, { status: 'disabled' }]],
  ])('stay disabled if they are disabled while being verified, %s until then', async (status, changes) => {
    const { headers } = merchant;
    let own = '';
    const change = async (body: object): Promise<Answer> => {
      const { version } = (await call(own, { headers })).body.webhook_endpoint;
      return call(own, { method: 'PATCH', headers, body: { version, ...body } });
    };
    let meanwhile: readonly object[] = [];
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      for (const body of meanwhile) expect((await change(body)).status).toBe(200);
      response.end(JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()).data));
    };
    const slow = await startHttpPeer((request, response) => void answer(request, response));
    const { body } = await createEndpoint(service, merchant, { url: `http://127.0.0.1:${slow.port}/` });
    own = endpoint(body.webhook_endpoint.webhook_endpoint_id as string);
    if (status !== 'pending') expect((await call(`${own}/verify`, { headers, body: {} })).status).toBe(200);
    if (status === 'disabled') await change({ status });
    meanwhile = changes;
    const late = await call(`${own}/verify`, { headers, body: {} });
    expect(refusal(late)).toEqual([409, 'version_conflict']);
    expect((await call(own, { headers })).body.webhook_endpoint.status).toBe('disabled');
    // A verification that is requested afterwards enables the endpoint again.
    meanwhile = [];
    expect((await call(`${own}/verify`, { headers, body: {} })).body.webhook_endpoint.status).toBe('active');
    await slow.close();
  });
});
