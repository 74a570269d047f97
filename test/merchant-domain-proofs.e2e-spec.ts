import { type RequestListener } from 'node:http';
import { EVENT_STORE, type EventStore } from '../src/platform/event-store/event-store.port';
import { HttpsProofTarget } from '../src/capabilities/merchants/domain-prover';
import { type DnsResponder, startDnsResponder } from './support/dns-responder';
import { type Answer, call } from './support/http';
import { type Certificate, type LoopbackPeer, startHttpsPeer, testAuthority } from './support/loopback-peers';
import { grantFor, type Operator, signIn, signUpPendingMerchant } from './support/merchant';
import { startTestService, type TestService } from './support/service';

const WEEK = 7 * 24 * 60 * 60 * 1000;

describe('proofs of a merchant’s domain', () => {
  let now = Date.parse('2030-01-01T00:00:00.000Z');
  let service: TestService;
  let dns: DnsResponder;
  let operator: Operator;
  let domains: string;
  let names = 0;
  const peers: LoopbackPeer[] = [];

  beforeAll(async () => {
    dns = await startDnsResponder();
    const env = { DNS_SERVERS: dns.server, ALLOW_PRIVATE_NETWORKS: 'true' };
    service = await startTestService({ env, clock: { now: () => new Date(now) } });
    domains = `${service.url}/v1/merchant-domains`;
  });
  beforeEach(async () => {
    operator = await signUpPendingMerchant(service);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(peers.splice(0).map((peer) => peer.close()));
  });
  afterAll(() => Promise.all([service.stopAndForget(), dns.close()]));

  type Registered = Readonly<{ id: string; domain: string; challenge: Record<string, string> }>;
  const register = async (method: string, domain = `proof-${(names += 1)}.example.test`): Promise<Registered> => {
    const { body } = await call(domains, { headers: operator.headers, body: { domain, method } });
    return { id: body.domain.domain_id as string, domain, challenge: body.challenge as Record<string, string> };
  };
  const verify = (id: string): Promise<Answer> =>
    call(`${domains}/${id}/verify`, { headers: operator.headers, body: {} });
  const reasonOf = ({ status, body }: Answer): unknown[] => [status, body.error?.code, body.error?.details?.reason];
  /** Acts as the domain's own server: the name resolves to this machine, and the port is where it listens. */
  const serve = async (domain: string, handler: RequestListener, certificate?: Certificate): Promise<void> => {
    const peer = await startHttpsPeer(handler, certificate);
    peers.push(peer);
    dns.set(domain, { A: ['127.0.0.1'] });
    const url = `https://${domain}:${peer.port}/.well-known/svc-domain-verification.txt`;
    jest.spyOn(service.app.get(HttpsProofTarget), 'of').mockReturnValue({ url, ca: testAuthority });
  };

  describe('by DNS', () => {
    const published: readonly [string, (value: string) => Parameters<DnsResponder['set']>[1]][] = [
      ['among other records', (value) => ({ TXT: ['v=spf1 -all', value, 'more'] })],
      ['in several strings', (value) => ({ TXT: [[value.slice(0, 20), value.slice(20)]] })],
      ['with space around it', (value) => ({ TXT: [` ${value} `] })],
    ];
    it.each(published)('are found %s', async (_, entry) => {
      const { id, challenge } = await register('dns');
      dns.set(challenge['record_name'] ?? '', entry(challenge['record_value'] ?? ''));
      expect((await verify(id)).status).toBe(200);
    });

    it.each([false, true])('are found behind an alias (alias alone: %s)', async (aliasOnly) => {
      const { id, challenge, domain } = await register('dns');
      dns.set(challenge['record_name'] ?? '', { CNAME: `elsewhere.${domain}`, aliasOnly });
      dns.set(`elsewhere.${domain}`, { TXT: [challenge['record_value'] ?? ''] });
      expect((await verify(id)).status).toBe(200);
    });

    it('are not found at the domain itself, nor in a longer or shorter record', async () => {
      const { id, challenge, domain } = await register('dns');
      const value = challenge['record_value'] ?? '';
      dns.set(domain, { TXT: [value] });
      expect(reasonOf(await verify(id))).toEqual([422, 'domain_proof_failed', 'record_not_found']);
      dns.set(challenge['record_name'] ?? '', { TXT: [`${value}${value}`, value.slice(0, -1), `x ${value}`] });
      expect(reasonOf(await verify(id))).toEqual([422, 'domain_proof_failed', 'record_mismatch']);
    });

    it('fail with a reason if the server cannot answer', async () => {
      const { id, challenge } = await register('dns');
      dns.set(challenge['record_name'] ?? '', { rcode: 'SERVFAIL' });
      expect(reasonOf(await verify(id))).toEqual([422, 'domain_proof_failed', 'dns_failed']);
      dns.set(challenge['record_name'] ?? '', { A: ['127.0.0.1'] });
      expect(reasonOf(await verify(id))).toEqual([422, 'domain_proof_failed', 'record_not_found']);
    });

    it('report what was found, shortened and readable', async () => {
      const { id, challenge } = await register('dns');
      const TXT = ['\u0000evil\u0007\n', 'x'.repeat(250), ...Array.from({ length: 20 }, (_, index) => `${index}`)];
      dns.set(challenge['record_name'] ?? '', { TXT });
      const { found } = (await verify(id)).body.error.details as { found: string[] };
      expect(found).toHaveLength(10);
      expect(found.slice(0, 2)).toEqual(['\uFFFDevil\uFFFD ', 'x'.repeat(200)]);
    });
  });

  describe('by HTTPS', () => {
    it('are found in the file, with a trailing newline', async () => {
      const { id, domain, challenge } = await register('https');
      let asked: unknown;
      await serve(domain, (request, response) => {
        asked = [request.method, request.url, request.headers.host?.split(':')[0]];
        response.end(`${challenge['content']}\r\n`);
      });
      const answer = await verify(id);
      expect([answer.status, answer.body.merchant?.status]).toEqual([200, 'active']);
      expect(asked).toEqual(['GET', '/.well-known/svc-domain-verification.txt', domain]);
    });

    type Case = readonly [
      string,
      (response: Parameters<RequestListener>[1], content: string) => void,
      string,
      string[],
    ];
    const cases: readonly Case[] = [
      [
        'another file',
        (response) => response.end('hello <b>\u202E</b>\n'),
        'content_mismatch',
        ['hello <b>\uFFFD</b>'],
      ],
      ['more than the challenge', (response, content) => response.end(`${content} x`), 'content_mismatch', []],
      ['no file', (response) => response.writeHead(404).end('gone'), 'unexpected_status', ['HTTP 404']],
      ['a created', (response, content) => response.writeHead(201).end(content), 'unexpected_status', ['HTTP 201']],
      [
        'a redirect',
        (response, content) => response.writeHead(302, { location: 'https://else.example.test/' }).end(content),
        'unexpected_status',
        ['HTTP 302'],
      ],
      ['too much', (response, content) => response.end(content + ' '.repeat(2000)), 'content_too_long', []],
      ['a hang-up', (response) => response.destroy(), 'reset', []],
    ];
    it.each(cases)('are not found in %s', async (_, respond, reason, found) => {
      const { id, domain, challenge } = await register('https');
      await serve(domain, (_request, response) => respond(response, challenge['content'] ?? ''));
      const answer = await verify(id);
      expect(reasonOf(answer)).toEqual([422, 'domain_proof_failed', reason]);
      if (found.length > 0) expect(answer.body.error.details.found).toEqual(found);
      expect(answer.body.error.details.expected).toBe(challenge['content']);
    });

    it.each(['expired', 'self-signed'] as const)(
      'are not accepted under a certificate that is %s',
      async (certificate) => {
        const { id, domain, challenge } = await register('https');
        await serve(domain, (_, response) => response.end(challenge['content']), certificate);
        expect(reasonOf(await verify(id))).toEqual([422, 'domain_proof_failed', 'tls_failed']);
      },
    );

    it('fail if the name does not exist, or nothing listens there', async () => {
      const { id, domain } = await register('https');
      expect(reasonOf(await verify(id))).toEqual([422, 'domain_proof_failed', 'dns_failed']);
      await serve(domain, () => undefined);
      await Promise.all(peers.splice(0).map((peer) => peer.close()));
      expect(reasonOf(await verify(id))).toEqual([422, 'domain_proof_failed', 'connect_failed']);
    });

    it('do not reach private networks', async () => {
      const guarded = await startTestService({ env: { DNS_SERVERS: dns.server } });
      try {
        const person = await signUpPendingMerchant(guarded);
        dns.set('inside.example.test', { A: ['127.0.0.1'] });
        const { body } = await call(`${guarded.url}/v1/merchant-domains`, {
          headers: person.headers,
          body: { domain: 'inside.example.test', method: 'https' },
        });
        const url = `${guarded.url}/v1/merchant-domains/${body.domain.domain_id as string}/verify`;
        const answer = await call(url, { headers: person.headers, body: {} });
        expect(reasonOf(answer)).toEqual([422, 'domain_proof_failed', 'destination_not_allowed']);
        expect(answer.body.error.details.found).toEqual([]);
      } finally {
        await guarded.stopAndForget();
      }
    });
  });

  it('expire after a week; then the same record gets a new challenge', async () => {
    const { id, domain, challenge } = await register('dns');
    dns.set(challenge['record_name'] ?? '', { TXT: [challenge['record_value'] ?? ''] });
    now += WEEK;
    operator = { ...operator, ...(await freshSession()) };
    expect(reasonOf(await verify(id))).toEqual([410, 'challenge_expired', undefined]);

    const again = await register('https', domain);
    expect(again.id).toBe(id);
    expect(again.challenge).toMatchObject({ type: 'https' });
    const read = await call(`${domains}/${id}`, { headers: operator.headers });
    expect(read.body).toMatchObject({ domain: { method: 'https', version: 3 }, challenge: again.challenge });
    await serve(domain, (_, response) => response.end(again.challenge['content']));
    expect((await verify(id)).status).toBe(200);
    expect((await call(`${domains}/${id}`, { headers: operator.headers })).body.challenge).toBeNull();
  });

  it('are verified and activated once when many run at the same time', async () => {
    const { id, challenge } = await register('dns');
    dns.set(challenge['record_name'] ?? '', { TXT: [challenge['record_value'] ?? ''] });
    const answers = await Promise.all(Array.from({ length: 50 }, () => verify(id)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    const events = await service.app.get<EventStore>(EVENT_STORE).readStream(`merchant-${operator.merchantId}`);
    expect(events.map(({ type }) => type)).toEqual([
      'MerchantCreated',
      'MerchantDomainRegistered',
      'MerchantDomainVerified',
      'MerchantActivated',
    ]);
  });

  async function freshSession(): Promise<Operator> {
    const { grant } = await grantFor(service, operator.email);
    return signIn(service, operator.email, { grant });
  }
});
