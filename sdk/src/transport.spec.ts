import { inspect } from 'node:util';
import { AgentClient } from './agent-client.ts';
import { AgentPaymentsClient } from './agent-payments-client.ts';
import { newAgentKey } from './agent-key.ts';
import { SvcConnectionError, SvcError } from './errors.ts';
import { MerchantClient } from './merchant/client.ts';
import { refusing, scriptedFetch } from './scripted-fetch.fixtures.ts';
import { path, Transport } from './transport.ts';
import { WalletClient } from './wallet-client.ts';

const baseUrl = 'https://svc.example/';

const hostile = {
  Authorization: 'Bearer stolen',
  ' authorization': 'Bearer stolen',
  'X-SVC-API-KEY': 'stolen',
  Cookie: 'svc_session=stolen',
  'x-csrf-token': 'stolen',
  'X-Idempotency-Key': 'stolen',
  'Idempotency-Key': 'stolen',
  'content-type': 'text/plain',
};
const headers = { ...hostile, 'X-Request-Id': 'trace-1' };

it('a refusal says its code wherever it is printed', () => {
  const parts = { code: 'invalid_token', message: 'The credential is unknown.', status: 401 };
  expect(String(new SvcError({ ...parts, requestId: 'req_1' }))).toBe(
    'SvcError: invalid_token (HTTP 401, request req_1): The credential is unknown.',
  );
  expect(`${new SvcError({ ...parts, requestId: undefined }).toString()}`).toContain('invalid_token (HTTP 401):');
});

describe('custom headers', () => {
  const { fetch, sent } = scriptedFetch(() => ({ body: { data: {}, payment_request: {}, device: {} } }));
  const options = { baseUrl, fetch, headers };

  beforeEach(() => void sent.splice(0));

  it('travel along but never override a credential, of the client or of one call', async () => {
    const agent = new AgentClient({ ...options, connectionToken: 'svc_ct_1' });
    const input = { recipient_id: 'r', recipient_version_id: 'v', payment: { amount: '1' } };
    await agent.createPaymentRequest(input, { idempotencyKey: 'mine', headers });
    await new AgentPaymentsClient({ ...options, apiKey: 'svc_sk_1' }).read('ap_1', { headers });
    await new WalletClient({ ...options, deviceId: 'dev_1', deviceToken: 'svc_dt_1' }).readDevice({ headers });
    await new MerchantClient({ ...options, sessionToken: 'svc_ms_1' }).read({ headers });
    await new MerchantClient({ ...options, csrfToken: 'proof' }).signOut({ headers });

    const seen = sent.map(({ headers: { accept: _, ...rest } }) => rest);
    expect(seen).toEqual([
      {
        'x-request-id': 'trace-1',
        authorization: 'Bearer svc_ct_1',
        'x-idempotency-key': 'mine',
        'content-type': 'application/json',
      },
      { 'x-request-id': 'trace-1', 'x-svc-api-key': 'svc_sk_1' },
      { 'x-request-id': 'trace-1', authorization: 'Device dev_1:svc_dt_1' },
      { 'x-request-id': 'trace-1', authorization: 'Bearer svc_ms_1' },
      { 'x-request-id': 'trace-1', 'x-csrf-token': 'proof' },
    ]);
  });
});

describe('the agent-payment envelope', () => {
  const client = (answer: object, status = 200) => {
    const { fetch } = scriptedFetch(() => ({ status, body: answer }));
    return new AgentPaymentsClient({ baseUrl, fetch, apiKey: 'svc_sk_1' });
  };

  it('is taken off', async () => {
    const data = { id: 'ap_1', status: 'intent_created' };
    const answer = { success: true, data, request_id: 'req_1', timestamp: '2030-01-01T00:00:00.000Z' };
    expect(await client(answer).read('ap_1')).toEqual(data);
  });

  it('becomes the same error as on the other surface', async () => {
    const issues = [{ code: 'required', field: 'amount', message: 'is required' }];
    const error = {
      code: 'validation_failed',
      message: 'amount: is required',
      details: { field: 'amount', issues, n: 1 },
    };
    const answer = { success: false, error, request_id: 'req_9', timestamp: '2030-01-01T00:00:00.000Z' };
    const thrown = await client(answer, 400)
      .read('ap_1')
      .catch((caught: unknown) => caught);
    expect(thrown).toBeInstanceOf(SvcError);
    expect(thrown).toMatchObject({
      code: 'validation_failed',
      status: 400,
      field: 'amount',
      issues,
      details: { n: 1 },
      requestId: 'req_9',
    });
  });
});

describe('one call', () => {
  const transport = (answer: Parameters<typeof scriptedFetch>[0], timeoutMs = 30_000) =>
    new Transport({ baseUrl, timeoutMs, fetch: scriptedFetch(answer).fetch });
  const get = { method: 'GET', path: '/v1/errors' } as const;
  const failure = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

  it('reports a refusal with all details', async () => {
    const details = { required_scope: 'payment.requests.read' };
    const refused = {
      ...refusing(403, 'insufficient_scope', { details, field: 'scope' }),
      headers: { 'retry-after': '7' },
    };
    expect(await failure(transport(() => refused).send(get, { headers: {} }))).toMatchObject({
      name: 'SvcError',
      code: 'insufficient_scope',
      message: 'insufficient_scope.',
      details,
      field: 'scope',
      issues: [],
      requestId: 'req_1',
      retryAfterSeconds: 7,
    });
  });

  it.each([
    [200, 'OK'],
    [502, '<html>'],
    [404, 'null'],
  ])('does not take %s %s for an answer of the service', async (status, text) => {
    const error = await failure(transport(() => ({ status, text })).send(get, { headers: {} }));
    expect(error).toMatchObject({ code: 'unreadable_answer', status });
  });

  it('gives up after its time', async () => {
    const error = await failure(transport(() => new Promise(() => undefined), 5).send(get, { headers: {} }));
    expect(error).toBeInstanceOf(SvcConnectionError);
    expect((error as Error).message).toBe('GET /v1/errors: no answer within 5 ms');
  });

  it('ends with the caller’s reason when the caller ends it', async () => {
    const reason = new Error('closed the page');
    const stop = new AbortController();
    const sending = transport(() => new Promise(() => undefined)).send({ ...get, options: stop }, { headers: {} });
    stop.abort(reason);
    expect(await failure(sending)).toBe(reason);
  });

  it('encodes ids, and takes none that would lead elsewhere', () => {
    expect(path`/v1/agents/${'a/../b?c'}/credentials/${'crd:1'}`).toBe('/v1/agents/a%2F..%2Fb%3Fc/credentials/crd%3A1');
    expect(() => path`/v1/agents/${'..'}`).toThrow(TypeError);
    expect(() => path`/v1/agents/${''}`).toThrow(TypeError);
  });

  it('goes to http and https only', () => {
    expect(() => new Transport({ baseUrl: 'ftp://svc.example' })).toThrow('baseUrl');
  });
});

it('keeps secrets out of what a client prints as', () => {
  const secretKey = newAgentKey().secretKey;
  const clients = [
    new AgentClient({
      baseUrl,
      connectionToken: 'svc_ct_hidden',
      credential: { kid: 'k', agentId: 'agt_1', secretKey },
    }),
    new AgentPaymentsClient({ baseUrl, apiKey: 'svc_sk_hidden' }),
    new WalletClient({ baseUrl, deviceId: 'dev_1', deviceToken: 'svc_dt_hidden' }),
    new MerchantClient({ baseUrl, sessionToken: 'svc_ms_hidden' }),
  ];
  for (const client of clients) {
    expect(inspect(client, { depth: 9 }) + JSON.stringify(client)).not.toMatch(/hidden|Uint8Array/);
  }
});

describe('an idempotency key', () => {
  const { fetch, sent } = scriptedFetch(() => ({ body: {} }));
  const send = (idempotencyKey: string) =>
    new Transport({ baseUrl, fetch }).send({ method: 'POST', path: '/', body: {}, idempotencyKey }, { headers: {} });

  beforeEach(() => void sent.splice(0));

  it.each(['order-1', 'café', 'заказ 7', '注文', '🧾', '\ufeffmarked'])('goes as the UTF-8 of %j', async (key) => {
    await send(key);
    const header = sent[0]?.headers['x-idempotency-key'] ?? '';
    expect(Buffer.from(header, 'latin1').toString('utf8')).toBe(key);
    // As a real fetch would: it takes nothing but bytes.
    expect(new Headers({ key: header }).get('key')).toBe(header);
  });

  it.each([' a', 'a ', 'a\nb', 'a\u0000b', '\ud800', 'a\tb'])(
    'that would arrive as another is not sent: %j',
    async (key) => {
      await expect(send(key)).rejects.toThrow(TypeError);
      expect(sent).toEqual([]);
    },
  );
});
