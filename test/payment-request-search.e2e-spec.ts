import { createActiveAgent, createActiveRecipient } from './support/agents';
import { bearing, connectAgent } from './support/connections';
import { registerDevice } from './support/devices';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import {
  connectAnotherWallet,
  createPayment,
  issues,
  type PaymentScene,
  reportPayment,
  setPaymentScene,
} from './support/payments';
import { useScene } from './support/use-service';

type Made = Readonly<{ id: string; created_at: string }>;

describeOnEachPair('searching payment requests', (start) => {
  let another: PaymentScene;
  let otherAgent: PaymentScene;
  let stranger: PaymentScene;
  let now = Date.parse('2030-01-01T00:00:00.000Z');
  const clock = { now: () => new Date(now) };

  const { service, dns, scene } = useScene({ start, clock });
  beforeAll(async () => {
    another = await connectAnotherWallet(service, scene);
    const [agent, device] = [
      await createActiveAgent(service, scene.merchant, { clock }),
      await registerDevice(service),
    ];
    const connection = await connectAgent(service, agent, device);
    const recipient = await createActiveRecipient(service, scene.merchant);
    otherAgent = { ...scene, agent, device, connection, recipient, headers: bearing(connection.connectionToken) };
    stranger = await setPaymentScene(service, dns, { clock });
  });

  const make = async (by: PaymentScene, changes: object = {}): Promise<Made> => {
    now += 1_000;
    const { body } = await createPayment(service, by, { ...changes });
    return { id: body.payment_request.request_id as string, created_at: body.payment_request.created_at as string };
  };

  /** All matching ids, page by page. */
  const search = async (
    query: Readonly<Record<string, string>> = {},
    { headers }: Pick<PaymentScene, 'headers'> = scene.merchant,
  ): Promise<string[]> => {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const all = new URLSearchParams({ limit: '2', ...query, ...(cursor ? { cursor } : {}) }).toString();
      const { status, body }: any = await call(`${service.url}/v1/payment-requests?${all}`, { headers });
      expect([status, body.error]).toEqual([200, undefined]);
      expect(body.payment_requests.length).toBeLessThanOrEqual(Number(query['limit'] ?? 2));
      seen.push(...body.payment_requests.map(({ request_id }: { request_id: string }) => request_id));
      cursor = body.next_cursor;
    }
    return seen;
  };

  it('shows a merchant all of its own, newest first, by any combination of filters', async () => {
    const a = await make(scene);
    const b = await make(another, { transaction_id: 'order-b' });
    const c = await make(otherAgent);
    const d = await make(scene);
    await make(stranger, { transaction_id: 'order-b' });
    await reportPayment(service, scene, d.id, { status: 'signed' });
    const ids = { a: a.id, b: b.id, c: c.id, d: d.id };
    const named = async (query: Readonly<Record<string, string>> = {}): Promise<string> =>
      (await search(query)).map((id) => Object.entries(ids).find(([, own]) => own === id)?.[0] ?? '?').join('');

    expect(await named()).toBe('dcba');
    expect(await named({ limit: '1' })).toBe('dcba');
    expect(await named({ status: 'signed' })).toBe('d');
    expect(await named({ status: 'pending' })).toBe('cba');
    expect(await named({ agent_id: scene.agent.agentId })).toBe('dba');
    expect(await named({ agent_id: scene.agent.agentId, status: 'pending' })).toBe('ba');
    expect(await named({ recipient_id: otherAgent.recipient.recipientId })).toBe('c');
    expect(await named({ recipient_id: otherAgent.recipient.recipientId, agent_id: scene.agent.agentId })).toBe('');
    expect(await named({ recipient_id: scene.recipient.recipientId, status: 'pending', limit: '1' })).toBe('ba');
    expect(await named({ connection_id: another.connection.connectionId })).toBe('b');
    expect(await named({ connection_id: scene.connection.connectionId, status: 'signed' })).toBe('d');
    expect(await named({ connection_id: stranger.connection.connectionId })).toBe('');
    expect(await named({ agent_id: stranger.agent.agentId })).toBe('');
    expect(await named({ created_from: b.created_at })).toBe('dcb');
    expect(await named({ created_to: c.created_at })).toBe('cba');
    expect(await named({ created_from: b.created_at, created_to: c.created_at })).toBe('cb');
    const elsewhere = `${new Date(Date.parse(b.created_at) + 3_600_000).toISOString().slice(0, -1)}+01:00`;
    expect(await named({ created_from: elsewhere, created_to: elsewhere })).toBe('b');
    expect(await named({ created_to: '2020-01-01T00:00:00Z' })).toBe('');
    expect(await named({ created_from: b.created_at, status: 'pending', agent_id: scene.agent.agentId })).toBe('b');
  });

  it('finds a request by each of its names, exactly, and only the merchant’s own', async () => {
    const transaction_id = 'Order 7/é';
    const one = await make(scene, { request_id: 'invoice-7', transaction_id, idempotency_key: 'key-7' });
    const two = await make(another, { transaction_id, idempotency_key: 'invoice-7' });
    const three = await make(scene, { transaction_id, idempotency_key: 'key-7-b' });
    const foreign = await make(stranger, { transaction_id, idempotency_key: 'key-7' });
    await reportPayment(service, scene, three.id, { status: 'signed' });
    await reportPayment(service, scene, three.id, { status: 'broadcasted', transaction_hash: 'ab'.repeat(32) });

    expect(await search({ q: one.id })).toEqual([two.id, one.id]);
    expect(await search({ q: one.id, limit: '1' })).toEqual([two.id, one.id]);
    expect(await search({ q: two.id })).toEqual([two.id]);
    expect(await search({ q: transaction_id })).toEqual([three.id, two.id, one.id]);
    expect(await search({ q: transaction_id, limit: '1' })).toEqual([three.id, two.id, one.id]);
    expect(await search({ q: transaction_id, status: 'pending' })).toEqual([two.id, one.id]);
    expect(await search({ q: 'key-7' })).toEqual([one.id]);
    expect(await search({ q: 'ab'.repeat(32) })).toEqual([three.id]);
    for (const q of ['key-', 'KEY-7', foreign.id, 'nothing', '~']) expect(await search({ q })).toEqual([]);
    expect(await search({ q: 'key-7' }, stranger.merchant)).toEqual([foreign.id]);
  });

  it('finds requests by the reported transaction alone, for each caller among its own', async () => {
    const transaction_hash = 'Cd'.repeat(32);
    const pay = async (by: PaymentScene): Promise<string> => {
      const { id } = await make(by);
      await reportPayment(service, by, id, { status: 'signed' });
      await reportPayment(service, by, id, { status: 'broadcasted', transaction_hash });
      return id;
    };
    const [one, two, foreign] = [await pay(scene), await pay(another), await pay(stranger)];
    // The hash must not match other names, nor another spelling of it.
    await make(scene, { transaction_id: transaction_hash, idempotency_key: transaction_hash });
    const three = await pay(scene);
    await reportPayment(service, scene, three, { status: 'confirmed', transaction_hash });

    const { connectionId: connection_id } = scene.connection;
    for (const limit of ['1', '2', '50']) expect(await search({ transaction_hash, limit })).toEqual([three, two, one]);
    expect(await search({ transaction_hash, q: transaction_hash })).toEqual([three, two, one]);
    expect(await search({ transaction_hash, status: 'broadcasted' })).toEqual([two, one]);
    expect(await search({ transaction_hash, connection_id })).toEqual([three, one]);
    expect(await search({ transaction_hash, connection_id, status: 'confirmed' })).toEqual([three]);
    expect(await search({ transaction_hash, connection_id: stranger.connection.connectionId })).toEqual([]);
    expect(await search({ transaction_hash: transaction_hash.toLowerCase() })).toEqual([]);
    for (const { headers } of [scene, scene.device])
      expect(await search({ transaction_hash }, { headers })).toEqual([three, one]);
    expect(await search({ transaction_hash }, another)).toEqual([two]);
    for (const caller of [stranger, stranger.merchant, stranger.device])
      expect(await search({ transaction_hash }, caller)).toEqual([foreign]);
    const refused = await call(`${service.url}/v1/payment-requests?transaction_hash=a%20b`, scene.merchant);
    expect([refused.status, issues(refused)]).toEqual([400, [['malformed', 'transaction_hash']]]);
  });

  it('lets wallets filter too, but leaves exact search to merchants', async () => {
    const made = await make(another);
    const device = { headers: another.device.headers };
    expect(await search({ connection_id: another.connection.connectionId }, device)).toContain(made.id);
    expect(await search({ connection_id: scene.connection.connectionId }, device)).toEqual([]);
    expect(await search({ created_from: made.created_at }, device)).toEqual([made.id]);
    expect(await search({ connection_id: scene.connection.connectionId }, another)).toEqual(await search({}, another));
    for (const { headers } of [device, another]) {
      const refused = await call(`${service.url}/v1/payment-requests?q=x`, { headers });
      expect([refused.status, issues(refused)]).toEqual([400, [['not_allowed', 'q']]]);
      const more = await call(`${service.url}/v1/payment-requests?q=x&limit=0`, { headers });
      expect(issues(more)).toEqual([
        ['out_of_range', 'limit'],
        ['not_allowed', 'q'],
      ]);
    }
  });

  it('shows a merchant its connections, but no wallet', async () => {
    const { headers } = scene.merchant;
    const { body } = await call(`${service.url}/v1/connections?limit=2`, { headers });
    const rest = await call(`${service.url}/v1/connections?limit=2&cursor=${body.next_cursor}`, { headers });
    const listed = [...body.connections, ...rest.body.connections].map((each: any) => each.connection_id as string);
    const own = [scene, another, otherAgent].map(({ connection }) => connection.connectionId);
    expect(listed.sort()).toEqual(own.sort());
    expect(JSON.stringify([body, rest.body])).not.toContain('dev_');
    const one = await call(`${service.url}/v1/connections/${another.connection.connectionId}`, { headers });
    expect(one.body.connection.connection_id).toBe(another.connection.connectionId);
    const theirs = await call(`${service.url}/v1/connections/${stranger.connection.connectionId}`, { headers });
    expect([theirs.status, theirs.body.error.code]).toEqual([404, 'resource_not_found']);
  });
});
