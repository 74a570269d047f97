import { type DnsResponder, startDnsResponder } from './support/dns-responder';
import { call } from './support/http';
import { type SignedUpMerchant, signUpMerchant } from './support/merchant';
import { issues, refusal } from './support/payments';
import { startTestService, type TestService } from './support/service';
import { createEndpoint } from './support/webhook-receiver';

describe('webhook endpoints, guarded', () => {
  let service: TestService;
  let dns: DnsResponder;
  let merchant: SignedUpMerchant;

  beforeAll(async () => {
    dns = await startDnsResponder();
    service = await startTestService({ env: { DNS_SERVERS: dns.server } });
    merchant = await signUpMerchant(service, { dns });
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
  });

  it.each([
    'http://shop.example/hook',
    'https://127.0.0.1/hook',
    'https://[::ffff:10.0.0.1]/',
    'https://2130706433/',
    'https://localhost/',
    'https://svc.test/v1/merchants',
    'https://user:secret@shop.example/',
    'ftp://shop.example/',
    'not a url',
  ])('are not created at %s', async (url) => {
    expect(refusal(await createEndpoint(service, merchant, { url }))).toEqual([422, 'destination_not_allowed']);
  });

  it('are not asked at a name that leads into a private network', async () => {
    dns.set('hook.example.test', { A: ['10.0.0.7'] });
    const { body } = await createEndpoint(service, merchant, { url: 'https://hook.example.test/' });
    const id = body.webhook_endpoint.webhook_endpoint_id as string;
    const { headers } = merchant;
    const verified = await call(`${service.url}/v1/webhook-endpoints/${id}/verify`, { headers, body: {} });
    expect(refusal(verified)).toEqual([422, 'destination_not_allowed']);
    const read = await call(`${service.url}/v1/webhook-endpoints/${id}`, { headers });
    expect(read.body.webhook_endpoint.status).toBe('pending');
  });

  it('name every problem of their input', async () => {
    const answer = await createEndpoint(service, merchant, { url: 5, events: ['payment_request.signed', 'nonsense'] });
    expect(issues(answer)).toEqual([
      ['wrong_type', 'url'],
      ['not_allowed', 'events.1'],
    ]);
  });

  it('are twenty at most for one merchant, however many ask at once', async () => {
    const other = await signUpMerchant(service, { dns });
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => createEndpoint(service, other, { url: 'https://shop.example/' })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(issues(answers.find(({ status }) => status !== 201) ?? answers[0]!)).toEqual([['too_many', 'url']]);
    const { body } = await call(`${service.url}/v1/webhook-endpoints?limit=200`, { headers: other.headers });
    expect(body.webhook_endpoints).toHaveLength(20);
  });
});
