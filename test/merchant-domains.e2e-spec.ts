import { EVENT_STORE, type EventStore } from '../src/platform/event-store/event-store.port';
import { type Answer, call } from './support/http';
import { type Operator, signUpPendingMerchant, verifyDomain } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { useServiceWithDns } from './support/use-service';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const WEEK = 7 * 24 * 60 * 60 * 1000;

const refusal = ({ status, body }: Answer): [number, string] => [status, body.error?.code];

describeOnEachPair('merchant domains', (start) => {
  let operator: Operator;
  let domains: string;
  let names = 0;

  const { service, dns } = useServiceWithDns({ start });
  beforeAll(async () => {
    domains = `${service.url}/v1/merchant-domains`;
  });
  beforeEach(async () => {
    operator = await signUpPendingMerchant(service);
  });

  const aName = (): string => `shop-${(names += 1)}.example.test`;
  const register = (domain: string, method = 'dns', { headers } = operator): Promise<Answer> =>
    call(domains, { headers, body: { domain, method } });
  const verify = (id: string, { headers } = operator): Promise<Answer> =>
    call(`${domains}/${id}/verify`, { headers, body: {} });
  const get = (path: string, { cookie } = operator): Promise<Answer> =>
    call(`${service.url}/v1/${path}`, { headers: { cookie } });
  const registered = async (domain = aName()): Promise<{ id: string; name: string; value: string }> => {
    const { body } = await register(domain);
    const { record_name: name, record_value: value } = body.challenge as { record_name: string; record_value: string };
    return { id: body.domain.domain_id as string, name, value };
  };

  it('are registered with a DNS record to publish', async () => {
    const domain = aName();
    const { status, body } = await register(domain.toUpperCase());
    expect(status).toBe(201);
    expect(body).toEqual({
      ok: true,
      domain: {
        domain_id: expect.stringMatching(/^dom_[0-9A-HJKMNP-TV-Z]{26}$/),
        domain,
        method: 'dns',
        status: 'pending',
        created_at: expect.stringMatching(TIME),
        updated_at: body.domain.created_at,
        verified_at: null,
        version: 2,
      },
      challenge: {
        type: 'dns',
        record_name: `_svc-challenge.${domain}`,
        record_type: 'TXT',
        record_value: expect.stringMatching(/^svc-domain-verification=[\w-]{43}$/),
        expires_at: expect.stringMatching(TIME),
      },
    });
    const { expires_at: expires } = body.challenge as { expires_at: string };
    expect(Date.parse(expires) - Date.parse(body.domain.created_at as string)).toBe(WEEK);
  });

  it('are registered with a file to publish', async () => {
    const { status, body } = await register('bücher.example.test', 'https');
    expect(status).toBe(201);
    expect(body.domain.domain).toBe('xn--bcher-kva.example.test');
    expect(body.challenge).toEqual({
      type: 'https',
      url: 'https://xn--bcher-kva.example.test/.well-known/svc-domain-verification.txt',
      content: expect.stringMatching(/^[\w-]{43}$/),
      expires_at: expect.stringMatching(TIME),
    });
  });

  it('activate the merchant with the first proof, in one append', async () => {
    const { id, name, value } = await registered();
    dns.set(name, { TXT: [value] });
    const { status, body } = await verify(id);
    expect(status).toBe(200);
    expect(body.domain).toMatchObject({ domain_id: id, status: 'verified', verified_at: expect.stringMatching(TIME) });
    expect(body.merchant).toMatchObject({ merchant_id: operator.merchantId, status: 'active', version: 4 });
    const events = await service.app.get<EventStore>(EVENT_STORE).readStream(`merchant-${operator.merchantId}`);
    expect(events.slice(2).map(({ type, metadata }) => [type, metadata.request_id])).toEqual([
      ['MerchantDomainVerified', events[2]?.metadata.request_id],
      ['MerchantActivated', events[2]?.metadata.request_id],
    ]);
    expect((await get('merchants/current')).body.merchant.status).toBe('active');

    const again = await verify(id);
    const domain = { ...body.domain, last_seen_at: expect.stringMatching(TIME) };
    expect([again.status, again.body]).toEqual([200, { ...body, domain }]);
    expect(again.body.domain.last_seen_at > body.domain.last_seen_at).toBe(true);
    const second = await verifyDomain(service, operator, aName(), dns);
    expect((await get(`merchant-domains/${second}`)).body.domain.status).toBe('verified');
  });

  it('stay unchanged when the proof fails, and so does the merchant', async () => {
    const { id, name, value } = await registered();
    const before = await get(`merchant-domains/${id}`);
    const nothing = await verify(id);
    expect(refusal(nothing)).toEqual([422, 'domain_proof_failed']);
    expect(nothing.body.error.details).toEqual({ expected: value, found: [], reason: 'record_not_found' });
    dns.set(name, { TXT: ['something else', `${value}x`] });
    const wrong = await verify(id);
    expect(refusal(wrong)).toEqual([422, 'domain_proof_failed']);
    expect(wrong.body.error.details).toEqual({
      expected: value,
      found: ['something else', `${value}x`],
      reason: 'record_mismatch',
    });
    expect((await get(`merchant-domains/${id}`)).body).toEqual(before.body);
    expect((await get('merchants/current')).body.merchant).toMatchObject({ status: 'pending', version: 2 });
    const events = await service.app.get<EventStore>(EVENT_STORE).readStream(`merchant-${operator.merchantId}`);
    expect(events).toHaveLength(2);
  });

  it('are not registered twice by one merchant, but may be by another', async () => {
    const domain = aName();
    const { id, name, value } = await registered(domain);
    const pending = await register(domain.toUpperCase(), 'https');
    expect(refusal(pending)).toEqual([409, 'domain_already_registered']);
    expect(pending.body.error.details).toEqual({ domain_id: id });
    dns.set(name, { TXT: [value] });
    expect((await verify(id)).status).toBe(200);
    expect(refusal(await register(domain))).toEqual([409, 'domain_already_registered']);
    const other = await signUpPendingMerchant(service);
    expect((await register(domain, 'dns', other)).status).toBe(201);
  });

  it('are read only by their own merchant', async () => {
    const { id } = await registered();
    const other = await signUpPendingMerchant(service);
    const asOther = { cookie: other.cookie, 'x-csrf-token': other.csrf, 'x-request-id': 'same' };
    const random = 'dom_01JZZZZZZZZZZZZZZZZZZZZZZZ';
    const reads = await Promise.all([id, random].map((one) => call(`${domains}/${one}`, { headers: asOther })));
    const checks = await Promise.all(
      [id, random].map((one) => call(`${domains}/${one}/verify`, { headers: asOther, body: {} })),
    );
    for (const answer of [...reads, ...checks]) {
      expect(refusal(answer)).toEqual([404, 'resource_not_found']);
      expect(answer.text).toBe(reads[0]?.text);
    }
    expect((await get('merchant-domains', other)).body).toEqual({ ok: true, domains: [], next_cursor: null });
    expect((await get(`merchant-domains/${id}`)).status).toBe(200);
  });

  it('are listed newest first, in pages', async () => {
    const expected: string[] = [];
    for (let count = 0; count < 5; count += 1) expected.push((await registered()).id);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Answer = await get(`merchant-domains?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`);
      expect(page.body.domains.length).toBeLessThanOrEqual(2);
      seen.push(...(page.body.domains as { domain_id: string }[]).map(({ domain_id }) => domain_id));
      cursor = page.body.next_cursor as string | null;
    } while (cursor !== null);
    expect(seen).toEqual(expected.reverse());
    const bad = await get('merchant-domains?limit=0&cursor=nonsense');
    expect(refusal(bad)).toEqual([400, 'validation_failed']);
    expect((bad.body.error.issues as { field: string }[]).map(({ field }) => field).sort()).toEqual([
      'cursor',
      'limit',
    ]);
  });

  it('must be exact names', async () => {
    const wrong = [
      '*.example.com',
      'example.com:443',
      'https://example.com',
      '10.0.0.1',
      '[::1]',
      'localhost',
      'co.uk',
      '',
    ];
    for (const domain of wrong) {
      const answer = await register(domain);
      expect([domain, ...refusal(answer), answer.body.error.field]).toEqual([
        domain,
        400,
        'validation_failed',
        'domain',
      ]);
    }
    const label = 'a'.repeat(60);
    const long = `${label}.${label}.${label}.${label.slice(0, 55)}.test`;
    expect(refusal(await register(long))).toEqual([400, 'validation_failed']);
    expect((await register(long, 'https')).status).toBe(201);
    const both = await call(domains, { headers: operator.headers, body: { method: 'carrier pigeon' } });
    expect((both.body.error.issues as { field: string }[]).map(({ field }) => field).sort()).toEqual([
      'domain',
      'method',
    ]);
  });
});
