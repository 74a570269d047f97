import nacl from 'tweetnacl';
import { agentWith, baseUrl, codeOf, key, setUp, TOKEN } from './agent-client.fixtures.ts';
import { fromBase64, utf8 } from './bytes.ts';
import { SvcConnectionError } from './errors.ts';
import { refusing, type Scripted } from './scripted-fetch.fixtures.ts';

const CLAIM = '/v1/connect-invitations/claim';
const REQUESTS = '/v1/payment-requests';
const input = { recipient_id: 'rcp_1', recipient_version_id: 'rcv_1', payment: { amount: '1.50' } };

describe('signing in', () => {
  it('signs an assertion for this service, keeps the token and does not ask again', async () => {
    const { sent, fetch, to } = setUp(() => ({}));
    const agent = agentWith(fetch);
    await agent.claimConnectKey('svc_ck_1', ['payment.requests.read']);
    await agent.claimConnectKey('svc_ck_2', []);
    expect(sent.map(({ path }) => path)).toEqual([TOKEN, CLAIM, CLAIM]);
    expect(to(CLAIM)[0]).toMatchObject({
      headers: { authorization: 'Bearer svc_at_1' },
      body: { connect_key: 'svc_ck_1', requested_scopes: ['payment.requests.read'] },
    });

    const [header = '', claims = '', signature = ''] = (to(TOKEN)[0]?.body['assertion'] as string).split('.');
    const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, any>;
    expect(decoded(header)).toEqual({ alg: 'EdDSA', typ: 'agent-assertion+jwt', kid: 'key-1' });
    expect(decoded(claims)).toMatchObject({ aud: `${baseUrl}${TOKEN}`, iss: 'agt_1', jti: expect.any(String) });
    const publicKey = fromBase64(key.publicKey) ?? new Uint8Array();
    const bytes = fromBase64(signature) ?? new Uint8Array();
    expect(nacl.sign.detached.verify(utf8(`${header}.${claims}`), bytes, publicKey)).toBe(true);
  });

  it('fetches one token for many concurrent calls', async () => {
    const { fetch, to } = setUp(() => ({}));
    const agent = agentWith(fetch);
    await Promise.all(Array.from({ length: 20 }, () => agent.claimConnectKey('svc_ck_1', [])));
    expect(to(TOKEN)).toHaveLength(1);
    expect(to(CLAIM)).toHaveLength(20);
  });

  it('fetches a new token before the old one can expire in transit', async () => {
    const short = (): Scripted => ({ body: { ok: true, agent_token: 'svc_at_short', expires_in: 20 } });
    const { fetch, to } = setUp(() => ({}), short);
    const agent = agentWith(fetch);
    await agent.claimConnectKey('svc_ck_1', []);
    await agent.claimConnectKey('svc_ck_2', []);
    expect(to(TOKEN)).toHaveLength(2);
  });

  it('takes a signing function instead of a key', async () => {
    const { fetch, to } = setUp(() => ({}));
    const sign = async (): Promise<Uint8Array> => new Uint8Array(64).fill(7);
    await agentWith(fetch, { credential: { kid: 'key-2', sign } }).claimConnectKey('svc_ck_1', []);
    expect(to(TOKEN)[0]?.body['assertion']).toMatch(new RegExp(`\\.${Buffer.alloc(64, 7).toString('base64url')}$`));
  });
});

describe('after a 401', () => {
  it('renews the token and repeats the same call once', async () => {
    const { fetch, to } = setUp((_sent, count) => (count === 1 ? refusing(401, 'token_expired') : {}));
    await agentWith(fetch).claimConnectKey('svc_ck_1', []);
    expect(to(TOKEN)).toHaveLength(2);
    expect(to(CLAIM).map(({ headers }) => headers['authorization'])).toEqual(['Bearer svc_at_1', 'Bearer svc_at_2']);
    expect(to(CLAIM)[1]?.body).toEqual(to(CLAIM)[0]?.body);
  });

  it('gives up after the second', async () => {
    const { fetch, to } = setUp(() => refusing(401, 'invalid_token'));
    expect(await codeOf(agentWith(fetch).claimConnectKey('svc_ck_1', []))).toBe('invalid_token');
    expect(to(CLAIM)).toHaveLength(2);
  });

  it('does not renew a token that another call has renewed already', async () => {
    const { fetch, to } = setUp(({ headers }) =>
      headers['authorization'] === 'Bearer svc_at_1' ? refusing(401, 'token_expired') : {},
    );
    const agent = agentWith(fetch);
    await Promise.all(Array.from({ length: 10 }, () => agent.claimConnectKey('svc_ck_1', [])));
    expect(to(TOKEN)).toHaveLength(2);
  });

  it('does not repeat with a connection token, which only the wallet can replace', async () => {
    const { fetch, to } = setUp(() => refusing(401, 'invalid_token'));
    expect(await codeOf(agentWith(fetch).createPaymentRequest(input))).toBe('invalid_token');
    expect(to(REQUESTS)).toHaveLength(1);
  });

  it('repeats once, with the same key, with a connection token that is kept elsewhere and was replaced', async () => {
    const { fetch, to } = setUp((_sent, count) =>
      count === 1 ? refusing(401, 'invalid_token') : { status: 201, body: { ok: true, payment_request: {} } },
    );
    const kept = ['svc_ct_old', 'svc_ct_new'];
    await agentWith(fetch, { connectionToken: () => kept.shift() }).createPaymentRequest(input);
    const calls = to(REQUESTS);
    expect(calls.map(({ headers }) => headers['authorization'])).toEqual(['Bearer svc_ct_old', 'Bearer svc_ct_new']);
    expect(calls[1]?.headers['x-idempotency-key']).toBe(calls[0]?.headers['x-idempotency-key']);
  });
});

describe('no second attempt', () => {
  it.each([
    [403, 'agent_not_active'],
    [403, 'credential_revoked'],
    [403, 'scope_not_allowed'],
    [409, 'already_exchanged'],
    [429, 'rate_limited'],
    [503, 'store_unavailable'],
  ])('after %s %s', async (status, code) => {
    const { fetch, to } = setUp(() => refusing(status, code));
    expect(await codeOf(agentWith(fetch).claimConnectKey('svc_ck_1', []))).toBe(code);
    expect([to(TOKEN).length, to(CLAIM).length]).toEqual([1, 1]);
  });

  it.each([
    [401, 'invalid_assertion'],
    [403, 'clock_skew'],
    [403, 'credential_revoked'],
    [409, 'assertion_replayed'],
  ])('for a token after %s %s', async (status, code) => {
    const { fetch, to } = setUp(
      () => ({}),
      () => refusing(status, code),
    );
    expect(await codeOf(agentWith(fetch).claimConnectKey('svc_ck_1', []))).toBe(code);
    expect([to(TOKEN).length, to(CLAIM).length]).toEqual([1, 0]);
  });

  it('for a token that cannot be renewed after a 401', async () => {
    let asked = 0;
    const { fetch, to } = setUp(
      () => refusing(401, 'token_expired'),
      () => {
        asked += 1;
        return asked === 1
          ? { body: { ok: true, agent_token: 'svc_at_1', expires_in: 600 } }
          : refusing(403, 'clock_skew', { details: { server_time: '2030-01-01T00:00:00.000Z' } });
      },
    );
    expect(await codeOf(agentWith(fetch).claimConnectKey('svc_ck_1', []))).toBe('clock_skew');
    expect([to(TOKEN).length, to(CLAIM).length]).toEqual([2, 1]);
  });
});

describe('payment requests', () => {
  const created = (): Scripted => ({ status: 201, body: { ok: true, payment_request: { request_id: 'pr_1' } } });

  it('carry a key, their own or a new one for each intent, and the user’s approval', async () => {
    const { fetch, to } = setUp(created);
    const agent = agentWith(fetch);
    const one = await agent.createPaymentRequest(input);
    const other = await agent.createPaymentRequest(input);
    const named = await agent.createPaymentRequest(input, { idempotencyKey: 'order-17' });
    await agent.createPaymentRequest({ ...input, idempotency_key: 'order-18' });
    const keys = to(REQUESTS).map(({ headers }) => headers['x-idempotency-key']);
    expect(keys).toEqual([one.idempotency_key, other.idempotency_key, 'order-17', 'order-18']);
    expect(new Set(keys).size).toBe(4);
    expect(keys[0]).toMatch(/^[\x21-\x7e]{16,256}$/);
    expect(named).toMatchObject({ replayed: false, idempotency_key: 'order-17' });
    // Otherwise the service would take the quotes for those of the header's own form.
    await agent.createPaymentRequest(input, { idempotencyKey: '"a\\b"' });
    expect(to(REQUESTS)[4]?.headers['x-idempotency-key']).toBe(String.raw`"\"a\\b\""`);
    expect(to(REQUESTS)[0]?.body['policy']).toEqual({ requires_user_approval: true });
  });

  it('say when the key had been used before', async () => {
    const { fetch } = setUp(() => ({ ...created(), status: 200, headers: { 'Idempotent-Replayed': 'true' } }));
    expect(await agentWith(fetch).createPaymentRequest(input)).toMatchObject({ replayed: true });
  });

  it('name the key to repeat with when no answer came', async () => {
    const { fetch, to } = setUp(() => Promise.reject(new Error('socket hang up')));
    const failure = (await codeOf(agentWith(fetch).createPaymentRequest(input))) as SvcConnectionError;
    expect(failure).toBeInstanceOf(SvcConnectionError);
    expect(failure.message).toBe('POST /v1/payment-requests: socket hang up');
    expect(failure.idempotencyKey).toBe(to(REQUESTS)[0]?.headers['x-idempotency-key']);
    expect(to(REQUESTS)).toHaveLength(1);
  });
});
