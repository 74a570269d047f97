import { agents } from '../projections/agents.projection';
import { automationPolicies } from '../projections/automation-policies.projection';
import { recipients } from '../projections/recipients.projection';
import { QUOTAS } from '../src/http/server/quota.guard';
import { READ_MODEL, type ReadModel } from '../src/platform/read-model/read-model.port';
import { SCOPES, TESTNET_FACTS } from './support/agents';
import { type AgentPaymentScene, policyInput, proposePolicy, setAgentPaymentScene } from './support/agent-payments';
import { type DnsResponder } from './support/dns-responder';
import { figure } from './support/figures';
import { type Answer, call } from './support/http';
import { paymentInput, refusal, startPaymentDns } from './support/payments';
import { startTestService, type TestService } from './support/service';

describe('what one tenant can accumulate', () => {
  let service: TestService;
  let dns: DnsResponder;
  let scene: AgentPaymentScene;

  beforeAll(async () => {
    const started = await startPaymentDns();
    dns = started.dns;
    service = await startTestService({ env: started.env });
    scene = await setAgentPaymentScene(service, dns);
  }, 60_000);
  afterAll(async () => {
    await service.stop();
    await dns.close();
  });

  /** Repeats the call until it is refused. */
  async function fill(most: number, ask: () => Promise<Answer>): Promise<readonly [made: number, last: Answer]> {
    for (let made = 0; made <= most; made += 1) {
      const answer = await ask();
      if (answer.status !== 201) return [made, answer];
    }
    throw new Error('it has no bound');
  }
  const told = ({ body }: Answer): unknown => body.error.details.limit;

  /** Creating a thousand of them would take long, so the read model says that they are there. */
  it.each([
    ['agents', agents, 'in_use', QUOTAS.agents],
    ['recipients', recipients, 'by_merchant', QUOTAS.recipients],
    ['automation-policies', automationPolicies, 'in_use_of_proposer', QUOTAS.policies],
  ] as const)('is bounded in %s', async (path, collection, index, limit) => {
    const agent = { name: 'One more', runtime: 'node', environment: 'testnet', allowed_scopes: SCOPES };
    const bodies = { agents: agent, recipients: { name: 'One more', ...TESTNET_FACTS } };
    const own = await setAgentPaymentScene(service, dns);
    const body = path === 'automation-policies' ? policyInput(own) : bodies[path];
    const { headers, merchantId } = own.merchant;
    const model = service.app.get<ReadModel>(READ_MODEL);
    const count = model.count.bind(model);
    let there = limit - 1;
    const counting = jest.spyOn(model, 'count').mockImplementation((of, by, equals, most) => {
      const isAsked = of.name === collection.name && by === index && equals[0] === merchantId;
      return isAsked ? Promise.resolve(Math.min(there, most ?? Infinity)) : count(of, by, equals, most);
    });
    try {
      const ask = (): Promise<Answer> => call(`${service.url}/v1/${path}`, { headers, body });
      expect((await ask()).status).toBe(201);
      there = limit;
      const last = await ask();
      expect([...refusal(last), told(last)]).toEqual([409, 'limit_reached', limit]);
    } finally {
      counting.mockRestore();
    }
  });

  it('is bounded in API keys', async () => {
    const ask = (): Promise<Answer> =>
      call(`${service.url}/v1/api-keys`, { headers: scene.merchant.headers, body: { name: 'One more' } });
    const [made, last] = await fill(QUOTAS.apiKeys, ask);
    expect([made, ...refusal(last), told(last)]).toEqual([QUOTAS.apiKeys - 1, 409, 'limit_reached', QUOTAS.apiKeys]);
  }, 60_000);

  it('is bounded in policies of one connection, and so is the cost of a refused intent', async () => {
    // Proposals count as well as the one that is active.
    const propose = (): Promise<Answer> => proposePolicy(service, scene, { single_tx_limit: '1' });
    const { id } = (await propose()).body.data as { id: string };
    const optIn = { device_id: scene.device.deviceId, token: scene.device.token };
    expect((await call(`${service.url}/v1/automation-policies/${id}/opt-in`, { body: optIn })).status).toBe(200);
    const [more, last] = await fill(QUOTAS.policiesOfConnection, propose);
    const made = more + 1;
    expect([made, ...refusal(last)]).toEqual([QUOTAS.policiesOfConnection, 409, 'limit_reached']);
    const intent = {
      network: 'stellar_testnet',
      recipient_id: scene.recipient.recipientId,
      amount: '5',
      initiator: 'agent',
      connection_id: scene.connection.connectionId,
    };
    const refuse = (): Promise<Answer> =>
      call(`${service.url}/v1/agent-payments`, { headers: scene.headers, body: intent });
    expect(refusal(await refuse())).toEqual([403, 'HC_NC_5_HITL_REQUIRED']);
    const begun = performance.now();
    for (let times = 0; times < 20; times += 1) await refuse();
    const each = (performance.now() - begun) / 20;
    process.stdout.write(`${JSON.stringify({ row: 'refused intents', policies: made, msEach: Math.round(each) })}\n`);
    figure({ promise: 'a refused intent with all policies', tried: made, lost: 0, doubled: 0, slowestMs: each });
  }, 120_000);

  it('is bounded in policies of one connection that the wallet creates, too', async () => {
    const own = await setAgentPaymentScene(service, dns);
    await fill(QUOTAS.policiesOfConnection, () => proposePolicy(service, own));
    const by = { device_id: own.device.deviceId, token: own.device.token };
    const last = await call(`${service.url}/v1/automation-policies`, { body: { ...policyInput(own), ...by } });
    expect([...refusal(last), told(last)]).toEqual([409, 'limit_reached', QUOTAS.policiesOfConnection]);
  }, 60_000);

  it('is bounded in bytes per minute, whichever route receives them', async () => {
    const env = { RATE_LIMITS: 'on', DNS_SERVERS: dns.server };
    const limited = await startTestService({ env, dataDir: service.dataDir + '-limited' });
    const own = await setAgentPaymentScene(limited, dns);
    const { CallCounter } = await import('../src/http/server/call-counter');
    const { RateLimiter } = await import('../src/http/server/rate-limits');
    expect(limited.app.get(CallCounter)).toBeDefined();
    limited.app.get(RateLimiter).take('bytes', own.merchant.merchantId, 64 * 1024 * 1024);
    const body = paymentInput(own);
    const connection = { authorization: `Bearer ${own.connection.connectionToken}` };
    const answers = [
      await call(`${limited.url}/v1/payment-requests`, { headers: connection, body }),
      await call(`${limited.url}/v1/api-keys`, { headers: own.merchant.headers, body: { name: 'x' } }),
      await call(`${limited.url}/v1/agent-payments`, { headers: own.headers, body: {} }),
    ];
    expect(answers.map(refusal)).toEqual(Array(3).fill([429, 'rate_limited']));
    expect(answers.every(({ headers }) => Number(headers.get('retry-after')) > 0)).toBe(true);
    expect(answers.map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual(['0', '0', '0']);
    expect((await call(`${limited.url}/v1/payment-requests`, { headers: connection })).status).toBe(200);
    await limited.stopAndForget();
  }, 60_000);
});
