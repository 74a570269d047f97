import nacl from 'tweetnacl';
import { AgentClient } from './agent-client.ts';
import { newAgentKey } from './agent-key.ts';
import { fromBase64, utf8 } from './bytes.ts';
import { SvcConnectionError, SvcError } from './errors.ts';
import { refusing, type Scripted, scriptedFetch, type Sent } from './scripted-fetch.fixtures.ts';

const baseUrl = 'https://svc.example';
const TOKEN = '/v1/agent-auth/token';
const CLAIM = '/v1/connect-invitations/claim';
const REQUESTS = '/v1/payment-requests';
const input = { recipient_id: 'rcp_1', recipient_version_id: 'rcv_1', payment: { amount: '1.50' } };
const key = newAgentKey();
const credential = { kid: 'key-1', agentId: 'agt_1', secretKey: key.secretKey };

/** Hands out agent tokens svc_at_1, svc_at_2 … and leaves the rest to the script. */
function setUp(answer: (sent: Sent, count: number) => Scripted | Promise<Scripted>, token?: () => Scripted) {
  let bought = 0;
  const counts = new Map<string, number>();
  const scripted = scriptedFetch((sent) => {
    if (sent.path === TOKEN) {
      bought += 1;
      return token?.() ?? { body: { ok: true, agent_token: `svc_at_${bought}`, expires_in: 600 } };
    }
    const count = (counts.get(sent.path) ?? 0) + 1;
    counts.set(sent.path, count);
    return answer(sent, count);
  });
  return scripted;
}

const agentWith = (fetch: typeof globalThis.fetch, more: object = {}) =>
  new AgentClient({ baseUrl, fetch, credential, connectionToken: 'svc_ct_1', ...more });

const codeOf = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (error) {
    return error instanceof SvcError ? error.code : error;
  }
  return 'no refusal';
};

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

describe('waiting', () => {
  const event = (cursor: number, request_id: string) => ({ cursor, request_id });

  it('ends with SvcTimeoutError when the time is up, and with the caller’s reason when the caller aborts it', async () => {
    const pending = { request_id: 'pr_1', status: 'pending', is_final: false };
    const { fetch } = setUp(({ path, query }) =>
      path.endsWith('/events')
        ? query.includes('wait')
          ? new Promise<never>(() => undefined)
          : { body: { events: [], next_cursor: 0, has_more: false } }
        : { body: { ok: true, payment_request: pending } },
    );
    const late = agentWith(fetch).waitForPaymentRequest('pr_1', { timeoutMs: 20 });
    await expect(late).rejects.toMatchObject({ name: 'SvcTimeoutError', timeoutMs: 20 });
    await expect(late).rejects.toThrow('pr_1 was not decided within 20 ms');
    const stop = new AbortController();
    const stopped = agentWith(fetch).waitForPaymentRequest('pr_1', { timeoutMs: 60_000, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(stopped).rejects.not.toMatchObject({ name: 'SvcTimeoutError' });
  });

  it('reports a cursor from elsewhere instead of waiting forever', async () => {
    const { fetch, to } = setUp(() => ({ body: { events: [], next_cursor: 99, newest_cursor: 7, has_more: false } }));
    const follow = agentWith(fetch).events({ since: 99 }).next();
    await expect(follow).rejects.toMatchObject({ name: 'SvcCursorError', since: 99, newestCursor: 7 });
    expect(to('/v1/payment-requests/events').map(({ query }) => query)).toEqual([
      '?since=99&limit=200&wait=0',
      '?since=99&limit=200&wait=0',
    ]);
  });

  it('continues when the service briefly knew less', async () => {
    const event7 = { events: [event(8, 'pr_1')], next_cursor: 8, newest_cursor: 8, has_more: false };
    const pages = [{ events: [], next_cursor: 7, newest_cursor: 3, has_more: false }, event7];
    const { fetch } = setUp(() => ({ body: pages.shift() }));
    const { value } = await agentWith(fetch).events({ since: 7 }).next();
    expect(value).toMatchObject({ cursor: 8 });
  });

  it('follows events page by page and stops when aborted', async () => {
    const stop = new AbortController();
    const pages = [
      { events: [event(1, 'pr_1'), event(2, 'pr_1')], next_cursor: 2, has_more: true },
      { events: [event(3, 'pr_2')], next_cursor: 3, has_more: false },
    ];
    const { fetch, to } = setUp(() => ({ body: pages.shift() ?? { events: [], next_cursor: 3, has_more: false } }));
    const seen: number[] = [];
    for await (const { cursor } of agentWith(fetch).events({ signal: stop.signal, wait: 5 })) {
      seen.push(cursor);
      if (cursor === 3) stop.abort();
    }
    expect(seen).toEqual([1, 2, 3]);
    expect(to('/v1/payment-requests/events').map(({ query }) => query)).toEqual([
      '?since=0&limit=200&wait=5',
      '?since=2&limit=200&wait=5',
    ]);
  });

  it('continues from the same cursor after the service was unavailable, and ends with a refusal', async () => {
    const answers = [
      { body: { events: [event(1, 'pr_1')], next_cursor: 1, has_more: false } },
      { ...refusing(503, 'store_unavailable'), headers: { 'retry-after': '0' } },
      { status: 502, text: '<html>bad gateway</html>', headers: { 'retry-after': '0' } },
      { body: { events: [event(2, 'pr_1')], next_cursor: 2, has_more: false } },
      refusing(403, 'connection_revoked'),
    ];
    const { fetch } = setUp(() => answers.shift() ?? {});
    const interruptions: unknown[] = [];
    const seen: number[] = [];
    const onInterruption = (error: unknown): void => void interruptions.push((error as SvcError).code);
    const follow = async (): Promise<void> => {
      for await (const { cursor } of agentWith(fetch).events({ onInterruption })) seen.push(cursor);
    };
    expect(await codeOf(follow())).toBe('connection_revoked');
    expect(seen).toEqual([1, 2]);
    expect(interruptions).toEqual(['store_unavailable', 'unreadable_answer']);
  });

  it('survives an outage in the middle, and reports one at the start', async () => {
    let reads = 0;
    const { fetch } = setUp(({ path, query }) => {
      if (path.endsWith('/events')) {
        const isPoll = query.includes('wait');
        return { body: { events: isPoll ? [event(1, 'pr_1')] : [], next_cursor: isPoll ? 1 : 0, has_more: false } };
      }
      reads += 1;
      if (reads === 2) return { ...refusing(503, 'store_unavailable'), headers: { 'retry-after': '0' } };
      return { body: { payment_request: { request_id: 'pr_1', status: 'confirmed', is_final: reads === 3 } } };
    });
    expect(await agentWith(fetch).waitForPaymentRequest('pr_1')).toMatchObject({ status: 'confirmed' });
    expect(reads).toBe(3);
    const { fetch: away } = setUp(() => refusing(503, 'store_unavailable'));
    expect(await codeOf(agentWith(away).waitForPaymentRequest('pr_1'))).toBe('store_unavailable');
  });

  it('reads the request again whenever something happened to it, until it is final', async () => {
    let status = 'pending';
    const pages = [
      { events: [event(1, 'pr_1')], next_cursor: 1, has_more: false },
      { events: [event(2, 'pr_other'), event(3, 'pr_1')], next_cursor: 3, has_more: false },
      { events: [event(4, 'pr_1')], next_cursor: 4, has_more: false },
    ];
    const { fetch, sent } = setUp(({ path }) => {
      if (path.endsWith('/events')) {
        const page = pages.shift();
        if (page?.next_cursor === 3) status = 'signed';
        if (page?.next_cursor === 4) status = 'confirmed';
        return { body: page ?? refusing(500, 'internal_error').body };
      }
      return { body: { payment_request: { request_id: 'pr_1', status, is_final: status === 'confirmed' } } };
    });
    expect(await agentWith(fetch).waitForPaymentRequest('pr_1')).toMatchObject({ status: 'confirmed' });
    expect(sent.map(({ path, query }) => path.replace('/v1/payment-requests', '') + query)).toEqual([
      '/events?since=0&limit=200',
      '/pr_1',
      '/events?since=1&limit=200&wait=20',
      '/pr_1',
      '/events?since=3&limit=200&wait=20',
      '/pr_1',
    ]);
  });

  it('exchanges an invitation once it is approved, and uses the token', async () => {
    const claimed = { connect_invitation: { connect_invitation_id: 'inv_1' }, claim_token: 'svc_cl_1' };
    const { fetch, to } = setUp(({ path }, count) => {
      if (!path.endsWith('/exchange')) return { body: { payment_request: {} } };
      return count < 3 ? refusing(409, 'approval_pending') : { body: { connection_token: 'svc_ct_9' } };
    });
    const agent = new AgentClient({ baseUrl, fetch });
    await expect(agent.readPaymentRequest('pr_1')).rejects.toThrow('not connected');
    await agent.waitForApproval(claimed as Parameters<AgentClient['waitForApproval']>[0], { intervalMs: 1 });
    await agent.readPaymentRequest('pr_1');
    const exchanges = to('/v1/connect-invitations/inv_1/exchange');
    expect(exchanges.map(({ headers }) => headers['authorization'])).toEqual(Array(3).fill('Bearer svc_cl_1'));
    expect(to('/v1/payment-requests/pr_1')[0]?.headers['authorization']).toBe('Bearer svc_ct_9');
  });
});
