import { connect } from 'node:net';
import { errorCatalogue } from '../src/kernel/error-catalogue';
import { type Answer, call } from './support/http';
import { useService } from './support/use-service';

const SEED = 'SCZANGBA5YHTNYVVV4C3U252E2B6P6F5T3U6MM63WBSBZATAQI3EBTQ4';

describe('the HTTP shell', () => {
  let devices: string;

  const service = useService();
  beforeAll(async () => {
    devices = `${service.url}/v1/wallet-devices`;
  });

  const raw = (text: string | Uint8Array, headers = {}): Promise<Answer> => call(devices, { raw: text, headers });
  const refusal = ({ status, body }: Answer): [number, string] => [status, body.error.code];

  describe('request ids', () => {
    it('accepts the caller’s and returns it in header and error', async () => {
      const answer = await call(`${service.url}/v1/nothing`, { headers: { 'x-request-id': 'my-call.1' } });
      expect(answer.headers.get('x-request-id')).toBe('my-call.1');
      expect(answer.body.error.request_id).toBe('my-call.1');
    });

    it.each(['', 'a'.repeat(161), 'with space'])('generates its own for %j', async (id) => {
      const answer = await call(`${service.url}/v1/nothing`, { headers: { 'x-request-id': id } });
      expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9A-Z]{26}$/);
      expect(answer.body.error.request_id).toBe(answer.headers.get('x-request-id'));
    });

    it('writes it to the log line and the event', async () => {
      const made = await call(devices, { body: { name: 'Phone' }, headers: { 'x-request-id': 'trace-me' } });
      expect(made.status).toBe(201);
      expect(service.log()).toContain('"request_id":"trace-me"');
    });
  });

  describe('bodies', () => {
    const nested = (levels: number): string => '{"name":"x","deep":' + '['.repeat(levels) + ']'.repeat(levels) + '}';
    /** With so many keys in all, and with colons, quotes and backslashes that belong to none of them. */
    const keyed = (keys: number): string => {
      const inner = Array.from({ length: keys - 3 }, (_, at) => `"\\\\\\":${at}":"\\":"`);
      return `{"name":"x", "platform" : "::::","more":{${inner.join(',')}}}`;
    };

    it.each([
      ['not JSON', '{'],
      ['an array', '[]'],
      ['a string', '"x"'],
      ['null', 'null'],
      ['two values', '{}{}'],
      ['17 levels', nested(16)],
      ['10,000 levels', nested(10_000)],
      ['__proto__', '{"name":"x","__proto__":{}}'],
      ['a deep constructor', '{"name":"x","a":[{"constructor":1}]}'],
      ['prototype', '{"prototype":1}'],
      ['10,000 levels in a private key', `{"name":"x","private_key":${nested(10_000)}}`],
      ['10,000 levels under a private key', `{"name":"x","${SEED}":${nested(10_000)}}`],
      ['10,000 levels in a listed JWK', `{"name":"x","keys":[{"kty":"OKP","d":"x","deep":${nested(10_000)}}]}`],
      ['a constructor in a private key', '{"name":"x","private_key":{"constructor":1}}'],
      ['1,001 keys', keyed(1_001)],
      ['1,001 times the same key', `{"name":"x"${',"a":1'.repeat(1_000)}}`],
      ['a byte order mark', '\ufeff{"name":"x"}'],
    ])('refuses %s as invalid_json', async (_name, text) => {
      expect(refusal(await raw(text))).toEqual([400, 'invalid_json']);
    });

    it('refuses bytes that are not UTF-8', async () => {
      const bytes = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xc0]), Buffer.from('"}')]);
      expect(refusal(await raw(bytes))).toEqual([400, 'invalid_json']);
    });

    it('accepts 16 levels', async () => {
      expect((await raw(nested(15))).status).toBe(201);
    });

    it.each([
      ['1,001 items', `{"name":"x","a":[${'0,'.repeat(998)}0]}`],
      ['empty lists', `{"name":"x","a":[${'[],'.repeat(499)}[]]}`],
      ['lists in each other', `{"name":"x","a":[${'[[[1]]],'.repeat(250)}0]}`],
    ])('refuses too many list items (%s)', async (_name, text) => {
      const { status, body } = await raw(text);
      expect([status, body.error.code]).toEqual([400, 'validation_failed']);
      expect(body.error.issues).toEqual([
        { code: 'too_many', field: '', message: expect.stringContaining('at most 1000 ') },
      ]);
    });

    it('refuses more than 300 numbers with a fraction', async () => {
      const { status, body } = await raw(`{"name":"x","a":[${'0.5,'.repeat(300)}0.5]}`);
      expect([status, body.error.issues]).toEqual([
        400,
        [{ code: 'too_many', field: '', message: expect.stringContaining('300 numbers') }],
      ]);
      expect((await raw(`{"name":"x","a":[${'0.5,'.repeat(300)}1]}`)).status).toBe(201);
    });

    it('accepts 1,000 list items and keys, and any number of commas and brackets in text', async () => {
      const text = `,"b":"${',[{'.repeat(5_000)}\\",["`;
      expect((await raw(`{"name":"x","a":[${'0,'.repeat(996)}0]${text}}`)).status).toBe(201);
    });

    it('accepts 1,000 keys', async () => {
      expect((await raw(keyed(1_000))).status).toBe(201);
    });

    it('treats a missing body as an empty object, so that the missing field is what it reports', async () => {
      const answer = await call(devices, { method: 'POST' });
      expect(answer.body.error).toMatchObject({ code: 'validation_failed', field: 'name' });
    });

    it.each([
      ['text/plain', {}],
      ['application/json; charset=latin1', {}],
      ['application/json', { 'content-encoding': 'gzip' }],
      ['multipart/form-data', {}],
    ])('refuses %s %j', async (type, headers) => {
      const answer = await raw('{"name":"x"}', { 'content-type': type, ...headers });
      expect(refusal(answer)).toEqual([415, 'unsupported_media_type']);
    });

    it('accepts application/json with charset utf-8', async () => {
      expect((await raw('{"name":"x"}', { 'content-type': 'application/json; charset=UTF-8' })).status).toBe(201);
    });

    it('refuses more than 64 KiB and closes the connection', async () => {
      const answer = await raw(JSON.stringify({ name: 'x'.repeat(65 * 1024) }));
      expect(refusal(answer)).toEqual([413, 'payload_too_large']);
      expect(answer.headers.get('connection')).toBe('close');
    });

    it('refuses a chunked body that grows past the limit', async () => {
      const answer = await rawHttp(
        service.url,
        'POST /v1/wallet-devices HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n' +
          `${(70 * 1024).toString(16)}\r\n${'x'.repeat(70 * 1024)}\r\n0\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    });
  });

  describe('fields', () => {
    it('lists every problem at once', async () => {
      const { status, body } = await call(devices, { body: { name: '', platform: 7 } });
      expect(status).toBe(400);
      expect(body.error).toMatchObject({ code: 'validation_failed', field: 'name' });
      expect(body.error.issues).toEqual([
        { code: 'too_short', field: 'name', message: expect.any(String) },
        { code: 'wrong_type', field: 'platform', message: expect.any(String) },
      ]);
    });

    it.each([
      ['NUL', 'a\u0000b'],
      ['a C0 control', 'a\u001bb'],
      ['a C1 control', 'a\u0085b'],
      ['a direction override', 'a\u202eb'],
      ['an isolate', 'a\u2066b'],
    ])('refuses %s in a string', async (_name, name) => {
      const { body } = await call(devices, { body: { name } });
      expect(body.error).toMatchObject({ code: 'validation_failed', field: 'name' });
    });

    it('refuses a lone surrogate', async () => {
      const { body } = await raw('{"name":"\\ud800"}');
      expect(body.error).toMatchObject({ code: 'validation_failed', field: 'name' });
    });

    it('names the path of a bad string at any depth', async () => {
      const { body } = await call(devices, { body: { name: 'x', extra: { list: ['ok', 'no\u0000'] } } });
      expect(body.error.issues).toEqual([
        { code: 'unreadable_text', field: 'extra.list.1', message: expect.any(String) },
      ]);
    });

    it.each(['1e400', '9007199254740993'])(
      'refuses the number %s, which cannot be represented exactly',
      async (number) => {
        const { body } = await raw(`{"name":"x","n":${number}}`);
        expect(body.error.issues[0]).toMatchObject({ code: 'out_of_range', field: 'n' });
      },
    );

    it('answers a flood of problems with a bounded list', async () => {
      const { status, text, body } = await raw(`{"name":"x","${'k'.repeat(30_000)}":[${'1e400,'.repeat(5_000)}1e400]}`);
      expect(status).toBe(400);
      expect(body.error.issues).toHaveLength(100);
      expect(text.length).toBeLessThan(64 * 1024);
    });

    it.each(['merchant_id', 'tenantId', 'agent_id'])('refuses %s in a body', async (field) => {
      const { body } = await call(devices, { body: { name: 'x', [field]: 'mer_1' } });
      expect(body.error.issues).toEqual([{ code: 'identity_not_accepted', field, message: expect.any(String) }]);
    });

    it.each(['x-merchant-id', 'tenant-id', 'x-svc-agent-id'])('refuses %s in a header', async (header) => {
      const { status, body } = await call(devices, { body: { name: 'x' }, headers: { [header]: 'mer_1' } });
      expect(status).toBe(400);
      expect(body.error.issues[0]).toMatchObject({ code: 'identity_not_accepted', field: header });
    });

    it.each(['authorization', 'x-svc-api-key', 'x-csrf-token', 'idempotency-key', 'x-idempotency-key'])(
      'refuses %s sent twice',
      async (header) => {
        const answer = await rawHttp(
          service.url,
          `GET /v1/errors HTTP/1.1\r\nHost: x\r\n${header}: a\r\n${header}: b\r\nConnection: close\r\n\r\n`,
        );
        expect(answer).toMatch(/^HTTP\/1\.1 400 /);
        expect(answer).toContain('validation_failed');
      },
    );
  });

  describe('paths', () => {
    it.each(['/v1', '/v1/payment-intents', '/v1/wallet-devices/%zz', '/v1/wallet-devices/a%2Fb/x', '/%00'])(
      'answers 404 for %s',
      async (path) => {
        expect(refusal(await call(service.url + path))).toEqual([404, 'resource_not_found']);
      },
    );

    it('answers 405 with Allow for an unknown method on a known path', async () => {
      const answer = await call(devices, { method: 'PUT', body: {} });
      expect(refusal(answer)).toEqual([405, 'method_not_allowed']);
      expect(answer.headers.get('allow')).toBe('POST');
    });

    it('answers 414 for a URL over 8 KiB and 431 for headers over 16 KiB', async () => {
      expect((await call(`${service.url}/v1/errors?x=${'y'.repeat(9000)}`)).status).toBe(414);
      expect((await call(`${service.url}/v1/errors`, { headers: { 'x-long': 'y'.repeat(17_000) } })).status).toBe(431);
    });

    it('answers input that is not HTTP in the envelope', async () => {
      expect(await rawHttp(service.url, 'NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [\s\S]*malformed_request/);
    });

    it('wraps errors of the older surface in its own envelope', async () => {
      const { body } = await call(`${service.url}/v1/agent-payments/x/nothing`);
      expect(body).toEqual({
        success: false,
        error: { code: 'resource_not_found', message: expect.any(String), details: {} },
        request_id: expect.stringMatching(/^req_/),
        timestamp: expect.stringMatching(/Z$/),
      });
      const broken = await call(`${service.url}/v1/automation-policies`, { raw: '{' });
      expect(broken.body).toMatchObject({ success: false, error: { code: 'invalid_json' } });
    });
  });

  it('sends security headers and never caches', async () => {
    const { headers } = await call(`${service.url}/v1/errors`);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('etag')).toBeNull();
  });

  it('serves the catalogue that the code throws from', async () => {
    const { body } = await call(`${service.url}/v1/errors`);
    expect(body).toMatchObject({ ok: true, next_cursor: null });
    expect(body.errors).toHaveLength(Object.keys(errorCatalogue).length);
    expect(body.errors).toContainEqual(expect.objectContaining({ code: 'rate_limited', status: 429, retry: 'later' }));
  });

  it('reports that it is alive and ready', async () => {
    expect((await call(`${service.url}/health`)).body).toEqual({ ok: true, status: 'live' });
    const ready = await call(`${service.url}/health/ready`);
    expect(ready.status).toBe(200);
    expect(ready.body).toMatchObject({ ok: true, status: 'ready', checks: { projections: { status: 'ok' } } });
  });
});

/** Sends raw bytes, for what a well-behaved client would not send. */
function rawHttp(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', (error) => (text === '' ? reject(error) : resolve(text)));
    socket.on('close', () => resolve(text));
    socket.setTimeout(5_000, () => socket.destroy());
  });
}
