import { startVerifyingReceiver } from '../demo/webhook-receiver';
import {
  AgentClient,
  AgentPaymentsClient,
  type ClientOptions,
  MerchantAccess,
  MerchantClient,
  newAgentKey,
  type PaymentRequest,
  SCOPES,
  type SvcError,
  WalletClient,
} from '../sdk/src/index.ts';
import { BASE_URL, TESTNET_FACTS } from './support/agents';
import { eventually } from './support/eventually';
import { mailNumber, tokenIn } from './support/outbox';
import { describeOnEachPair } from './support/pairs';
import { useServiceWithDns } from './support/use-service';

const HASH = 'cd'.repeat(32);
const audience = `${BASE_URL}/v1/agent-auth/token`;

/** A fetch that counts calls by path; `spoil` may respond in place of the service. */
function watched(spoil: (path: string, count: number) => Response | undefined = () => undefined) {
  const counts = new Map<string, number>();
  const watching = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const count = (counts.get(pathname) ?? 0) + 1;
    counts.set(pathname, count);
    return spoil(pathname, count) ?? fetch(input, init);
  };
  return { fetch: watching, count: (path: string): number => counts.get(path) ?? 0 };
}

describeOnEachPair('the client library', (start) => {
  let options: ClientOptions;
  let merchant: MerchantClient;
  let wallet: WalletClient;
  let agent: AgentClient;
  let agentId: string;
  let connectionId: string;
  let recipient: Readonly<{ recipient_id: string; recipient_version_id: string }>;
  const key = newAgentKey();

  const { service, dns } = useServiceWithDns({ start, env: { ALLOW_PRIVATE_NETWORKS: 'true' } });
  beforeAll(async () => {
    options = { baseUrl: service.url };
  });

  const credential = () => ({ kid: 'key-1', agentId, secretKey: key.secretKey });
  const ask = async (amount: string): Promise<PaymentRequest> =>
    (await agent.createPaymentRequest({ ...recipient, payment: { amount } })).payment_request;
  const refusalOf = (promise: Promise<unknown>): Promise<SvcError> =>
    promise.then(
      () => Promise.reject(new Error('was not refused')),
      (error: unknown) => error as SvcError,
    );

  it('takes a merchant from an email address to a payee and an agent', async () => {
    const access = new MerchantAccess(options);
    await access.register('sdk@example.test');
    const link = tokenIn(await mailNumber(service, 'sdk@example.test', 1));
    const { session_grant, merchants } = await access.verifyEmail(link);
    expect(merchants).toEqual([]);
    const created = await access.createMerchant({ grant: session_grant, name: 'Library Shop' });
    const opened = await MerchantClient.signIn(options, { grant: created.next_grant });
    merchant = opened.client;
    expect(opened.merchant.status).toBe('pending');

    const { domain, challenge } = await merchant.domains.create({ domain: 'sdk.example.test', method: 'dns' });
    if (challenge.type !== 'dns') throw new Error('asked for dns');
    dns.set(challenge.record_name, { TXT: [challenge.record_value] });
    const verified = await merchant.domains.verify(domain.domain_id);
    expect([verified.domain.status, verified.merchant.status]).toEqual(['verified', 'active']);

    const payee = { name: 'Library Shop', ...TESTNET_FACTS, domain_id: domain.domain_id };
    const active = await merchant.recipients.createActive(payee);
    expect(active.recipient.active_version_id).toBe(active.recipient_version.recipient_version_id);
    const { recipient_version_id } = active.recipient_version;
    recipient = { recipient_id: active.recipient.recipient_id, recipient_version_id };

    const registered = await merchant.agents.create({ name: 'Agent', runtime: 'node', allowed_scopes: SCOPES });
    agentId = registered.agent_id;
    const proven = await merchant.agents.addKey(agentId, key, { kid: 'key-1' });
    expect(proven.credential.status).toBe('active');
    const { status } = await merchant.agents.change(agentId, { version: proven.agent.version, status: 'active' });
    expect(status).toBe('active');
  });

  it('connects the agent while a person decides in the wallet', async () => {
    ({ wallet } = await WalletClient.register(options, { name: 'My phone' }));
    const { connect_key } = await wallet.createConnectKey({ label: 'For the shop' });
    agent = new AgentClient({ ...options, audience, credential: credential() });
    const claimed = await agent.claimConnectKey(connect_key, SCOPES);
    const connecting = agent.waitForApproval(claimed, { intervalMs: 20 });

    const { connect_invitations: waiting } = await wallet.listInvitations();
    expect(waiting).toMatchObject([{ merchant_name: 'Library Shop', merchant_domain: 'sdk.example.test' }]);
    await wallet.approveInvitation(waiting[0]?.connect_invitation_id ?? '');
    const { connection } = await connecting;
    connectionId = connection.connection_id;
    expect(connection).toMatchObject({ status: 'active', agent_id: agentId, scopes: SCOPES });
  });

  it('takes a payment from the request to its confirmation, with polled events and verified webhooks', async () => {
    const receiver = await startVerifyingReceiver();
    const { webhook_endpoint, secret } = await merchant.webhooks.create({ url: receiver.url });
    receiver.useSecret(secret);
    expect((await merchant.webhooks.verify(webhook_endpoint.webhook_endpoint_id)).status).toBe('active');

    const { transaction_id } = await agent.describeTransaction({ title: 'Two coffees' });
    const input = { ...recipient, payment: { amount: '12.50' }, transaction_id };
    const first = await agent.createPaymentRequest(input, { idempotencyKey: 'order-1' });
    const again = await agent.createPaymentRequest(input, { idempotencyKey: 'order-1' });
    expect([first.replayed, again.replayed]).toEqual([false, true]);
    expect(again.payment_request).toEqual(first.payment_request);
    const { request_id } = first.payment_request;

    const finished = agent.waitForPaymentRequest(request_id);
    const shown = await wallet.readPaymentRequest(request_id);
    expect(shown.transaction_context?.title).toBe('Two coffees');
    expect(shown.payment_request.payment).toMatchObject({ amount: '12.50', to: TESTNET_FACTS.address });
    await wallet.reportPaymentRequest(request_id, { status: 'signed' });
    await wallet.reportPaymentRequest(request_id, { status: 'broadcasted', transaction_hash: HASH });
    await wallet.reportPaymentRequest(request_id, { status: 'confirmed', transaction_hash: HASH, ledger: 7 });
    expect(await finished).toMatchObject({ status: 'confirmed', transaction_hash: HASH, ledger: 7, is_final: true });

    const statuses: string[] = [];
    for await (const event of agent.events()) {
      statuses.push(event.status);
      if (event.status === 'confirmed') break;
    }
    expect(statuses).toEqual(['pending', 'signed', 'broadcasted', 'confirmed']);

    await receiver.until(() => receiver.received.length === 4);
    expect(receiver.received.map(({ message }) => message.type)).toEqual([
      'payment_request.created',
      'payment_request.signed',
      'payment_request.broadcasted',
      'payment_request.confirmed',
    ]);
    expect(receiver.refused).toEqual([]);
    // A receiver has a delivery before its outcome is recorded.
    await eventually(
      async () => (await merchant.webhooks.listDeliveries({ status: 'succeeded' })).webhook_deliveries.length,
      (count) => count === 4,
      'four deliveries recorded',
    );
    await merchant.webhooks.delete(webhook_endpoint.webhook_endpoint_id);
    await receiver.close();
  });

  it('unwraps agent payments, and reports which thresholds stopped one', async () => {
    expect((await merchant.apiKeys.create()).api_key.name).toBe('API key');
    const { secret } = await merchant.apiKeys.create({ name: 'Checkout server' });
    const payments = new AgentPaymentsClient({ ...options, apiKey: secret });
    const { recipient_id } = recipient;
    const intent = { network: 'stellar_testnet', recipient_id, amount: '1', connection_id: connectionId };
    const refused = await refusalOf(payments.create({ ...intent, initiator: 'agent' }));
    expect(refused).toMatchObject({ code: 'HC_NC_5_HITL_REQUIRED', status: 403 });
    expect(refused.details['triggered_thresholds']).toEqual(['no_active_policy']);
    expect(refused.idempotencyKey).toMatch(/^\S{16,}$/);

    const asked = { initiator: 'human', idempotency_key: refused.idempotencyKey ?? '' } as const;
    const payment = await payments.create({ ...intent, ...asked });
    expect(payment).toMatchObject({ status: 'intent_created', idempotency_key: refused.idempotencyKey });
    await wallet.reportAgentPayment(payment.id, { status: 'rejected', reason: 'not mine' });
    expect(await payments.read(payment.id)).toMatchObject({ status: 'rejected', is_final: true });

    const { id } = await payments.create({ ...intent, initiator: 'human' });
    const transaction_hash = 'feed';
    await wallet.reportAgentPayment(id, { status: 'signed' });
    await wallet.reportAgentPayment(id, { status: 'broadcasted', transaction_hash });
    for (const list of [
      payments.list({ transaction_hash }),
      merchant.policies.listPayments({ transaction_hash }),
      wallet.listAgentPayments({ transaction_hash }),
    ])
      expect((await list).agent_payments.map((one) => one.id)).toEqual([id]);
  });

  it('repeats a call once after a real 401, then gives up', async () => {
    const { connect_key } = await wallet.createConnectKey();
    const expired = (): Response =>
      Response.json({ ok: false, error: { code: 'token_expired', message: 'run out' } }, { status: 401 });
    const claim = '/v1/connect-invitations/claim';
    const once = watched((path, count) => (path === claim && count === 1 ? expired() : undefined));
    const patient = new AgentClient({ ...options, fetch: once.fetch, audience, credential: credential() });
    await patient.claimConnectKey(connect_key, SCOPES);
    expect([once.count(claim), once.count('/v1/agent-auth/token')]).toEqual([2, 2]);

    const { connection_token } = await wallet.rotateConnectionToken(connectionId);
    const real = watched();
    const tokens = ['svc_ct_wrong', connection_token];
    const kept = new AgentClient({ ...options, fetch: real.fetch, connectionToken: () => tokens.shift() ?? '' });
    expect((await kept.listPaymentRequests()).payment_requests.length).toBeGreaterThan(0);
    expect(real.count('/v1/payment-requests')).toBe(2);

    const never = new AgentClient({ ...options, fetch: real.fetch, connectionToken: () => `svc_ct_${Math.random()}` });
    expect(await refusalOf(never.pollEvents())).toMatchObject({ status: 401, code: 'invalid_token' });
    expect(real.count('/v1/payment-requests/events')).toBe(2);
    agent.useConnection(connection_token);
  });

  it('does not repeat after a real 403: paused, clock skew, revoked', async () => {
    const seen = watched();
    const { connection_token } = await wallet.rotateConnectionToken(connectionId);
    agent = new AgentClient({ ...options, fetch: seen.fetch, connectionToken: () => connection_token });
    await wallet.changeConnection(connectionId, 'paused');
    expect(await refusalOf(ask('1'))).toMatchObject({ status: 403, code: 'connection_paused' });
    await wallet.changeConnection(connectionId, 'active');
    expect(seen.count('/v1/payment-requests')).toBe(1);

    const late = { ...options, fetch: seen.fetch, audience, credential: credential() };
    const skewed = new AgentClient({ ...late, now: () => new Date(Date.now() + 3_600_000) });
    const refused = await refusalOf(skewed.claimConnectKey('svc_ck_any', SCOPES));
    expect(refused).toMatchObject({ status: 403, code: 'clock_skew' });
    expect(Date.parse(refused.details['server_time'] as string)).toBeGreaterThan(0);
    expect([seen.count('/v1/agent-auth/token'), seen.count('/v1/connect-invitations/claim')]).toEqual([1, 0]);

    await wallet.revokeConnection(connectionId);
    expect(await refusalOf(agent.listPaymentRequests())).toMatchObject({ status: 403, code: 'connection_revoked' });
    expect(seen.count('/v1/payment-requests')).toBe(2);
  });

  it('keeps its credential whatever headers it is given', async () => {
    const headers = { Authorization: 'Bearer svc_ms_other', 'x-svc-api-key': 'svc_sk_other', 'X-Request-Id': 'mine-1' };
    const stubborn = new WalletClient({
      ...options,
      headers,
      deviceId: wallet.deviceId,
      deviceToken: await wallet.rotateDeviceToken(),
    });
    expect((await stubborn.readDevice({ headers })).device_id).toBe(wallet.deviceId);
    const unknown = await refusalOf(stubborn.readConnection('con_unknown'));
    expect(unknown).toMatchObject({ code: 'resource_not_found', requestId: 'mine-1' });
  });

  it('gets the new token again if the response of its rotation is lost', async () => {
    const { wallet: mine, device_token: deviceToken } = await WalletClient.register(options, { name: 'Other phone' });
    const rotationId = crypto.randomUUID();
    const token = await mine.rotateDeviceToken({ rotationId });
    const unaware = new WalletClient({ ...options, deviceId: mine.deviceId, deviceToken });
    expect(await unaware.rotateDeviceToken({ rotationId })).toBe(token);
    expect((await unaware.readDevice()).version).toBe(2);
  });

  it('reports every problem of an input', async () => {
    const refused = await refusalOf(
      merchant.recipients.create({ name: '', network: 'stellar_testnet', asset: 'XLM', address: 'G…' }),
    );
    expect(refused.code).toBe('validation_failed');
    expect(refused.issues.map(({ field }) => field)).toEqual(expect.arrayContaining(['name', 'address']));
  });
});
