import { AgentClient } from './agent-client.ts';
import { agentWith, baseUrl, codeOf, setUp } from './agent-client.fixtures.ts';
import { type SvcError } from './errors.ts';
import { refusing } from './scripted-fetch.fixtures.ts';

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
