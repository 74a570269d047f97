import { AgentClient } from './agent-client.ts';
import { SvcConnectionError } from './errors.ts';
import { MerchantClient } from './merchant/client.ts';
import { scriptedFetch } from './scripted-fetch.fixtures.ts';
import { type KeyedOptions } from './transport.ts';
import { WalletClient } from './wallet-client.ts';

const baseUrl = 'https://svc.example';
const facts = { network: 'stellar_testnet', asset: 'XLM', address: 'G' };
const terms = { single_tx_limit: '1', cumulative_limit: '2', valid_from: 'a', valid_until: 'b', allowlist: ['r'] };
const policy = { ...terms, connection_id: 'c', network: 'stellar_testnet', asset: 'XLM', replaces: 'pol_0' };
const credential = { kid: 'k', public_key: 'p', not_before: 'a', expires_at: 'b' };

describe('a call that makes something', () => {
  const { fetch, sent } = scriptedFetch(() => ({ body: { data: {} } }));
  const merchant = new MerchantClient({ baseUrl, fetch, sessionToken: 'svc_ms_1' });
  const wallet = new WalletClient({ baseUrl, fetch, deviceId: 'dev_1', deviceToken: 'svc_dt_1' });
  const agent = new AgentClient({ baseUrl, fetch, connectionToken: 'svc_ct_1' });
  const calls: Readonly<Record<string, (options?: KeyedOptions) => Promise<unknown>>> = {
    policy: (options) => merchant.policies.create(policy, options),
    'own policy': (options) => wallet.createPolicy(policy, options),
    recipient: (options) => merchant.recipients.create({ name: 'n', ...facts }, options),
    version: (options) => merchant.recipients.addVersion('rcp_1', { version: 1, ...facts }, options),
    agent: (options) => merchant.agents.create({ name: 'n', runtime: 'node', allowed_scopes: [] }, options),
    credential: (options) => merchant.agents.registerCredential('agt_1', credential, options),
    domain: (options) => merchant.domains.create({ domain: 'shop.example', method: 'dns' }, options),
    'webhook endpoint': (options) => merchant.webhooks.create({ url: 'https://shop.example' }, options),
    'API key': (options) => merchant.apiKeys.create({}, options),
    'Connect Key': (options) => wallet.createConnectKey({}, options),
    'transaction context': (options) => agent.describeTransaction({ transaction_id: 't', title: 'T' }, options),
  };

  it.each(Object.entries(calls))('sends a key of its own, or the one given: %s', async (_what, make) => {
    sent.splice(0);
    await make();
    await make();
    await make({ idempotencyKey: 'mine' });
    const [first, second, third] = sent.map(({ headers }) => headers['x-idempotency-key']);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).not.toBe(first);
    expect(second).toMatch(/^[0-9a-f]{32}$/);
    expect(third).toBe('mine');
  });

  it('says its key when no response came, so that it can be repeated with it', async () => {
    const lost = (() => Promise.reject(new Error('reset'))) as typeof globalThis.fetch;
    const client = new WalletClient({ baseUrl, fetch: lost, deviceId: 'dev_1', deviceToken: 'svc_dt_1' });
    const failure = await client.createPolicy(policy).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SvcConnectionError);
    expect((failure as SvcConnectionError).idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
  });

  it('keeps its key when the client repeats it with a new token', async () => {
    const { fetch: expiring, sent: seen } = scriptedFetch(() =>
      seen.length === 1
        ? { status: 401, body: { ok: false, error: { code: 'invalid_token', message: 'Over.', request_id: 'r' } } }
        : { body: { transaction_context: {} } },
    );
    const tokens = ['svc_ct_old', 'svc_ct_new'];
    const renewing = new AgentClient({
      baseUrl,
      fetch: expiring,
      connectionToken: () => tokens.shift() ?? 'svc_ct_new',
    });
    await renewing.describeTransaction({ transaction_id: 't', title: 'T' });
    const keys = seen.map(({ headers }) => headers['x-idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[1]).toBe(keys[0]);
  });

  it('a proposal is declined, and an opt-in names what it replaces', async () => {
    sent.splice(0);
    await wallet.declinePolicy('pol_1');
    await wallet.optIn('pol_2', { version: 1, replaces: 'pol_0' });
    expect(sent.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/v1/automation-policies/pol_1/decline', {}],
      ['POST', '/v1/automation-policies/pol_2/opt-in', { version: 1, replaces: 'pol_0' }],
    ]);
  });
});
