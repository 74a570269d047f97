import { randomUUID } from 'node:crypto';
import { newKeyPair } from './support/agent-client';
import { TESTNET_FACTS } from './support/agents';
import { type AgentPaymentScene, policyInput, setAgentPaymentScene } from './support/agent-payments';
import { bearing, mustBe } from './support/connections';
import { type Answer, call } from './support/http';
import { signUpMerchant } from './support/merchant';
import { MovingClock } from './support/moving-clock';
import { describeOnEachPair } from './support/pairs';
import { refusal } from './support/payments';
import { useServiceWithDns } from './support/use-service';

const TEN_MINUTES = 10 * 60_000;
const KEY = 'x-idempotency-key';

type Making = Readonly<{
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>>;
  /** Another intent. */
  other: Readonly<Record<string, unknown>>;
  idIn: (body: Record<string, any>) => string;
  /** What is shown in the first minutes alone. */
  secretIn?: (body: Record<string, any>) => unknown;
}>;

const listed = ({ error }: Record<string, any>): readonly { code: string; field: string }[] =>
  error.issues ?? error.details.issues;
const issuesOf = ({ body }: Answer): readonly string[] => listed(body).map(({ code }) => code);

/** A key makes one thing, whatever is made. */
describeOnEachPair('a call that makes something, under its idempotency key', (start) => {
  const clock = new MovingClock();
  const { service, dns } = useServiceWithDns({ start, clock });
  let scene: AgentPaymentScene;
  beforeAll(async () => {
    scene = await setAgentPaymentScene(service, dns, { clock });
  });

  const makings: Readonly<Record<string, () => Making | Promise<Making>>> = {
    'a proposed policy': () => ({
      path: '/v1/automation-policies',
      headers: scene.merchant.headers,
      body: policyInput(scene),
      other: policyInput(scene, { cumulative_limit: '21' }),
      idIn: ({ data }) => data.id,
    }),
    'a recipient': () => ({
      path: '/v1/recipients',
      headers: scene.merchant.headers,
      body: { name: 'Roastery', ...TESTNET_FACTS },
      other: { name: 'Bakery', ...TESTNET_FACTS },
      idIn: ({ recipient, recipient_version }) => `${recipient.recipient_id} ${recipient_version.recipient_version_id}`,
    }),
    'a version': async () => {
      const { headers } = scene.merchant;
      const url = `${service.url}/v1/recipients`;
      const { body } = mustBe(201, await call(url, { headers, body: { name: 'Versions', ...TESTNET_FACTS } }));
      const { recipient_id: id, version } = body.recipient;
      return {
        path: `/v1/recipients/${id}/versions`,
        headers,
        body: { ...TESTNET_FACTS, version },
        other: { ...TESTNET_FACTS, memo: 'other', version },
        idIn: ({ recipient_version }) => recipient_version.recipient_version_id,
      };
    },
    'an agent': () => ({
      path: '/v1/agents',
      headers: scene.merchant.headers,
      body: { name: 'Agent', runtime: 'node', environment: 'testnet', allowed_scopes: ['payment.requests.read'] },
      other: { name: 'Other', runtime: 'node', environment: 'testnet', allowed_scopes: ['payment.requests.read'] },
      idIn: ({ agent }) => agent.agent_id,
    }),
    'a credential': () => {
      const times = { not_before: '2026-01-01T00:00:00Z', expires_at: '2099-01-01T00:00:00Z' };
      const body = { kid: randomUUID(), alg: 'Ed25519', public_key: newKeyPair().publicKey, ...times };
      return {
        path: `/v1/agents/${scene.agent.agentId}/credentials`,
        headers: scene.merchant.headers,
        body,
        other: { ...body, kid: randomUUID() },
        idIn: ({ credential }) => credential.credential_id,
        secretIn: ({ proof_challenge }) => proof_challenge,
      };
    },
    'a domain': () => {
      const domain = `${randomUUID()}.example.com`;
      return {
        path: '/v1/merchant-domains',
        headers: scene.merchant.headers,
        body: { domain, method: 'dns' },
        other: { domain, method: 'https' },
        idIn: ({ domain: { domain_id } }) => domain_id,
      };
    },
    'a webhook endpoint': () => ({
      path: '/v1/webhook-endpoints',
      headers: scene.merchant.headers,
      body: { url: 'https://shop.example/webhooks' },
      other: { url: 'https://shop.example/others' },
      idIn: ({ webhook_endpoint }) => webhook_endpoint.webhook_endpoint_id,
      secretIn: ({ secret }) => secret,
    }),
    'an API key': () => ({
      path: '/v1/api-keys',
      headers: scene.merchant.headers,
      body: { name: 'Checkout' },
      other: {},
      idIn: ({ api_key }) => api_key.api_key_id,
      secretIn: ({ secret }) => secret,
    }),
    'a transaction context': () => ({
      path: '/v1/transaction-contexts',
      headers: bearing(scene.connection.connectionToken),
      body: { title: 'Two flat whites' },
      other: { title: 'Three flat whites' },
      idIn: ({ transaction_context: { transaction_id, revision } }) => `${transaction_id} ${revision}`,
    }),
  };

  const send = ({ path, headers }: Making, key: string, body: object, name = KEY): Promise<Answer> =>
    call(`${service.url}${path}`, { headers: { ...headers, [name]: key }, body });

  describe.each(Object.keys(makings))('%s', (name) => {
    let making: Making;
    beforeAll(async () => {
      making = await makings[name]!();
    });

    it('is made once, however often the same is asked for at once', async () => {
      const key = randomUUID();
      const answers = await Promise.all(Array.from({ length: 40 }, () => send(making, key, making.body)));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array.from({ length: 39 }, () => 200), 201]);
      expect(new Set(answers.map(({ body }) => making.idIn(body))).size).toBe(1);
      const replayed = answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true');
      expect(replayed.map(({ status }) => status)).toEqual(replayed.map(() => 200));
      expect(replayed).toHaveLength(39);
      expect(refusal(await send(making, key, making.other))).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
      // The other header, the body and the quoted spelling of a key are the same key.
      const again = await send(making, key, making.body, 'idempotency-key');
      expect([again.status, making.idIn(again.body)]).toEqual([200, making.idIn(answers[0]!.body)]);
      const inBody = await call(`${service.url}${making.path}`, {
        headers: making.headers,
        body: { ...making.body, idempotency_key: key },
      });
      expect([inBody.status, making.idIn(inBody.body)]).toEqual([200, making.idIn(answers[0]!.body)]);
      const differing = await send(making, key, { ...making.body, idempotency_key: 'another' });
      // For what changes with its making, a stale version or a taken name is listed beside it.
      expect(differing.status).toBe(400);
      expect(issuesOf(differing)).toContain('IDEMPOTENCY_KEY_MISMATCH');
      if (!['a version', 'a credential'].includes(name)) expect(refusal(differing)[1]).toBe('IDEMPOTENCY_KEY_MISMATCH');
    });

    it('lists what is wrong with the key beside what is wrong with the body', async () => {
      const { status, body } = await send(making, 'k'.repeat(257), {});
      const fields = listed(body).map(({ field }) => field);
      expect(status).toBe(400);
      expect(fields).toContain(KEY);
      if (!['an API key', 'a Connect Key'].includes(name)) expect(fields.length).toBeGreaterThan(1);
    });

    it('shows its secret again for ten minutes', async () => {
      if (making.secretIn === undefined) return;
      const own = await makings[name]!();
      const key = randomUUID();
      const first = mustBe(201, await send(own, key, own.body));
      const secret = own.secretIn!(first.body);
      expect(secret).toEqual(expect.any(String));
      clock.skip(TEN_MINUTES - 1000);
      const soon = mustBe(200, await send(own, key, own.body));
      expect(own.secretIn!(soon.body)).toBe(secret);
      clock.skip(1000);
      const late = mustBe(200, await send(own, key, own.body));
      expect([own.idIn(late.body), own.secretIn!(late.body)]).toEqual([own.idIn(first.body), undefined]);
    });
  });

  it('a wallet’s Connect Key and own policy are made once, too, and its policy at once', async () => {
    const { device } = scene;
    const fields = { device_id: device.deviceId, token: device.token };
    const url = `${service.url}/v1/connect-keys`;
    const key = randomUUID();
    const ask = () => call(url, { headers: { [KEY]: key }, body: { ...fields, label: 'Shop' } });
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    expect(new Set(answers.map(({ body }) => body.connect_key)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    clock.skip(TEN_MINUTES);
    expect((await ask()).body).toEqual({ ok: true, expires_at: answers[0]!.body.expires_at });

    const policies = `${service.url}/v1/automation-policies`;
    const make = () => call(policies, { headers: { [KEY]: key }, body: { ...policyInput(scene), ...fields } });
    const made = await Promise.all(Array.from({ length: 20 }, make));
    expect(new Set(made.map(({ body }) => body.data.id)).size).toBe(1);
    expect(made.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(made[0]!.body.data.status).toBe('active');
  });

  it('is another thing for another merchant under the same key', async () => {
    const other = await signUpMerchant(service, { dns });
    const key = randomUUID();
    const ids = [];
    for (const { headers } of [scene.merchant, other]) {
      const answer = await call(`${service.url}/v1/api-keys`, { headers: { ...headers, [KEY]: key }, body: {} });
      ids.push(mustBe(201, answer).body.api_key.api_key_id);
    }
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('is answered with what was made when the limit is reached since', async () => {
    const merchant = await signUpMerchant(service, { dns });
    const url = `${service.url}/v1/webhook-endpoints`;
    const make = (key: string) =>
      call(url, { headers: { ...merchant.headers, [KEY]: key }, body: { url: 'https://shop.example/webhooks' } });
    for (let n = 0; n < 20; n += 1) mustBe(201, await make(`key-${n}`));
    mustBe(400, await make('key-20'));
    mustBe(200, await make('key-19'));
  });
});
