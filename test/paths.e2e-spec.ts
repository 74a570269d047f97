import { type Answer, call } from './support/http';
import { useService } from './support/use-service';

describe('paths', () => {
  const service = useService();

  const at = (path: string, request: Parameters<typeof call>[1] = {}): Promise<Answer> =>
    call(`${service.url}${path}`, request);
  const refusal = ({ status, body }: Answer): [number, string] => [status, body.error.code];
  const NOTHING_THERE = [404, 'resource_not_found'];

  it.each([
    '/V1/errors',
    '/v1/Errors',
    '/v1/errors/',
    '/v1//errors',
    '//v1/errors',
    '/v1/agents/',
    '/V1/agents',
    '/v1/agents/agt_1/',
    '/Health',
    '/health/',
    '/health/ready/',
    '/openapi.json/',
    '/OpenApi.json',
  ])('are matched exactly as written: %s does not exist', async (path) => {
    expect(refusal(await at(path))).toEqual(NOTHING_THERE);
    expect(refusal(await at(path, { method: 'DELETE' }))).toEqual(NOTHING_THERE);
  });

  it('may percent-encode a character of an id', async () => {
    const { body } = await at('/v1/wallet-devices', { body: { name: 'Phone' } });
    const id = body.device.device_id as string;
    const headers = { authorization: `Device ${id}:${body.device_token}` };
    expect((await at(`/v1/wallet-devices/${id.replace('d', '%64')}`, { headers })).status).toBe(200);
  });

  describe.each([
    ['not JSON', { raw: '{' }],
    ['of another type', { raw: 'hello', headers: { 'content-type': 'text/plain' } }],
    ['compressed', { raw: '{}', headers: { 'content-encoding': 'gzip' } }],
    ['too large', { raw: 'x'.repeat(100 * 1024) }],
  ])('with a body that is %s', (_, request) => {
    it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('are reported as unknown first, with %s', async (method) => {
      expect(refusal(await at('/v1/nothing', { method, ...request }))).toEqual(NOTHING_THERE);
      expect(refusal(await at('/v1/wallet-devices/', { method, ...request }))).toEqual(NOTHING_THERE);
      const { status, body } = await at('/v1/agent-payments/x/nothing', { method, ...request });
      expect([status, body.success, body.error.code]).toEqual([404, false, 'resource_not_found']);
    });

    it('report an unsupported method first', async () => {
      const answer = await at('/v1/wallet-devices', { method: 'PUT', ...request });
      expect(refusal(answer)).toEqual([405, 'method_not_allowed']);
      expect(answer.headers.get('allow')).toBe('POST');
    });
  });

  it.each([
    [414, 'uri_too_long', { address: 'y'.repeat(9_000), header: 'x' }],
    [431, 'headers_too_large', { address: 'y', header: 'x'.repeat(17_000) }],
  ])('use the envelope of their surface even with %d', async (status, code, { address, header }) => {
    const request = { headers: { 'x-long': header } };
    const older = await at(`/v1/agent-payments?x=${address}`, request);
    expect([older.status, older.body.success, older.body.error.code]).toEqual([status, false, code]);
    const newer = await at(`/v1/payment-requests?x=${address}`, request);
    expect([newer.status, newer.body.ok, newer.body.error.code]).toEqual([status, false, code]);
  });

  it('do not affect the next request on the connection', async () => {
    for (let round = 0; round < 3; round += 1) {
      expect((await at('/v1/nothing', { raw: `{${' '.repeat(60_000)}` })).status).toBe(404);
      expect((await at('/v1/errors')).status).toBe(200);
    }
  });

  it('lead to the API reference, and to everything it loads', async () => {
    const page = await at('/docs');
    const loaded = [...page.text.matchAll(/(?:src|href)="\.?\/?([^"]+)"/g)].map(([, name]) => `/${name}`);
    expect(loaded.length).toBeGreaterThan(3);
    for (const path of ['/docs/', '/docs/index.html', ...loaded]) {
      const { status, headers } = await at(path);
      expect([path, status]).toEqual([path, 200]);
      expect(headers.get('content-security-policy')).toContain("script-src 'self'");
    }
  });
});
