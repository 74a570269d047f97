import {
  createActivePolicy,
  createIntent,
  intentInput,
  issuesOf,
  optIn,
  policyInput,
  setAgentPaymentScene,
} from './support/agent-payments';
import { mustBe } from './support/connections';
import { type Answer, call } from './support/http';
import { grantFor } from './support/merchant';
import { refusal } from './support/payments';
import { useScene } from './support/use-service';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MAINNET = [409, 'phase_0_mainnet_disabled'];

describe('the agent-payment surface', () => {
  const { service, dns, scene } = useScene({ set: setAgentPaymentScene });

  const at = (path: string): string => `${service.url}/v1/${path}`;
  const expectFailure = ({ body, headers }: Answer): void =>
    expect(body).toEqual({
      success: false,
      error: { code: expect.any(String), message: expect.any(String), details: expect.any(Object) },
      request_id: headers.get('x-request-id'),
      timestamp: expect.stringMatching(TIME),
    });

  it('answers every failure in its own envelope, whatever its origin', async () => {
    const { headers } = scene;
    const json = { ...headers, 'content-type': 'application/json' };
    const failures: [number, string, Promise<Answer>][] = [
      [401, 'unauthenticated', call(at('agent-payments'))],
      [401, 'unauthenticated', call(at('agent-payments'), { body: {} })],
      [401, 'unauthenticated', call(at('automation-policies'), { headers, body: {} })],
      [401, 'invalid_token', call(at('agent-payments'), { headers: { 'x-svc-api-key': 'nonsense' } })],
      [401, 'invalid_token', call(at('automation-policies'), { headers: { authorization: 'Bearer nonsense' } })],
      [403, 'csrf_failed', call(at('automation-policies'), { headers: { cookie: scene.merchant.cookie }, body: {} })],
      [400, 'invalid_json', call(at('agent-payments'), { headers: json, raw: '{' })],
      [413, 'payload_too_large', call(at('agent-payments'), { headers: json, raw: `"${'x'.repeat(70_000)}"` })],
      [
        415,
        'unsupported_media_type',
        call(at('agent-payments'), { headers: { ...headers, 'content-type': 'text/plain' }, raw: 'x' }),
      ],
      [400, 'validation_failed', call(at('agent-payments'), { headers, body: {} })],
      [400, 'validation_failed', call(at('agent-payments?limit=0'), { headers })],
      [400, 'validation_failed', call(at('agent-payments'), { headers: { ...headers, 'x-merchant-id': 'm' } })],
      [404, 'resource_not_found', call(at('agent-payments/ap_nothing'), { headers })],
      [404, 'resource_not_found', call(at('agent-payments/ap_1/nothing'), { headers })],
      [405, 'method_not_allowed', call(at('agent-payments'), { method: 'PUT', headers, body: {} })],
    ];
    for (const [status, code, asked] of failures) {
      const answer = await asked;
      expect(refusal(answer)).toEqual([status, code]);
      expectFailure(answer);
    }
  });

  it('names every missing threshold, and everything else that is wrong', async () => {
    const { headers } = scene.merchant;
    const empty = await call(at('automation-policies'), { headers, body: {} });
    expect(issuesOf(empty).map(([, field]) => field)).toEqual([
      'connection_id',
      'network',
      'asset',
      'single_tx_limit',
      'cumulative_limit',
      'valid_from',
      'valid_until',
      'allowlist',
    ]);
    const intent = await call(at('agent-payments'), {
      headers: { ...scene.headers, 'x-idempotency-key': 'a' },
      body: intentInput(scene, {
        network: 'nowhere',
        amount: '01',
        initiator: 'robot',
        recipient_id: 'rcp_unknown',
        connection_id: 'con_unknown',
        expires_at: '2020-01-01T00:00:00Z',
        idempotency_key: 'b',
        metadata: { pay_to: 'me' },
        to: 'GME',
      }),
    });
    expect(refusal(intent)).toEqual([400, 'validation_failed']);
    expect(issuesOf(intent).sort()).toEqual(
      [
        ['IDEMPOTENCY_KEY_MISMATCH', 'idempotency_key'],
        ['in_the_past', 'expires_at'],
        ['invalid_amount', 'amount'],
        ['not_allowed', 'initiator'],
        ['not_allowed', 'network'],
        ['override_not_accepted', 'metadata.pay_to'],
        ['payment_fact_not_accepted', 'to'],
        ['resource_not_found', 'connection_id'],
        ['resource_not_found', 'recipient_id'],
      ].sort(),
    );
    expect(issuesOf(await createIntent(service, scene, { asset: 'USDC', amount: '0.00000001' }))).toEqual([
      ['mismatch', 'asset'],
      ['too_many_fraction_digits', 'amount'],
    ]);
  });

  it('describes its envelopes in the OpenAPI document', async () => {
    const { body } = await call(`${service.url}/openapi.json`);
    const operations = Object.entries(body.paths as Record<string, Record<string, any>>)
      .filter(([path]) => /^\/v1\/(agent-payments|automation-policies)/.test(path))
      .flatMap(([, methods]) => Object.values(methods));
    expect(operations).toHaveLength(19);
    for (const { responses } of operations) {
      for (const [status, { content }] of Object.entries(responses as Record<string, any>)) {
        const { schema } = content['application/json'];
        if (status.startsWith('2')) expect(schema.required).toEqual(['success', 'data', 'request_id', 'timestamp']);
        else expect(schema.allOf).toEqual([{ $ref: '#/components/schemas/AgentFailure' }]);
      }
      expect(Object.keys(responses as object)).toContain('409');
    }
    expect(Object.keys(body.components.schemas as object)).toContain('AgentFailure');
  });

  it('refuses main networks before anything else except a missing credential', async () => {
    const { headers } = scene;
    const admin = scene.merchant.headers;
    const wallet = scene.device.headers;
    const byHeader = { 'x-svc-network': 'ethereum_mainnet' };
    const asked = [
      call(at('agent-payments'), { headers, body: { network: 'stellar_public' } }),
      call(at('agent-payments'), { headers, body: { network: 'Stellar-Public', amount: -1 } }),
      call(at('agent-payments'), { headers, body: { network: 'somechain_mainnet' } }),
      call(at('agent-payments'), { headers, body: { payment: { network: ['stellar_testnet', 'stellar_public'] } } }),
      call(at('agent-payments?network=base_mainnet&limit=0'), { headers }),
      call(at('agent-payments?network=stellar_testnet&network=base_mainnet'), { headers }),
      call(at('agent-payments/ap_nothing?network=bitcoin_mainnet'), { headers }),
      call(at('agent-payments/ap_nothing'), { headers: { ...headers, ...byHeader } }),
      call(at('agent-payments'), { headers: { ...headers, 'x-svc-network': 'stellar_testnet, stellar_public' } }),
      call(at('agent-payments/ap_nothing/status'), { headers: wallet, body: { network: 'tezos_mainnet' } }),
      call(at('automation-policies'), { headers: admin, body: { network: 'polygon_pos' } }),
      call(at('automation-policies/pol_nothing'), { method: 'PATCH', headers: { ...admin, ...byHeader }, body: {} }),
      call(at('automation-policies/pol_nothing'), { method: 'DELETE', headers: { ...admin, ...byHeader } }),
      call(at('automation-policies/pol_nothing/opt-in'), { headers: { ...wallet, ...byHeader }, body: {} }),
    ];
    for (const [index, answer] of (await Promise.all(asked)).entries()) {
      expect([index, ...refusal(answer)]).toEqual([index, ...MAINNET]);
      expectFailure(answer);
    }
    const stranger = await call(at('agent-payments'), { body: { network: 'stellar_public' } });
    expect(refusal(stranger)).toEqual([401, 'unauthenticated']);
    const inMetadata = await createIntent(service, scene, { metadata: { network: 'stellar_public' } });
    expect(inMetadata.status).toBe(201);
  });

  it('accepts a test network by name, and no unknown name', async () => {
    expect((await createIntent(service, scene, {}, { 'x-svc-network': 'stellar_testnet' })).status).toBe(201);
    const unknown = await createIntent(service, scene, {}, { 'x-svc-network': 'atlantis' });
    expect([refusal(unknown), issuesOf(unknown)]).toEqual([
      [400, 'validation_failed'],
      [['not_allowed', 'x-svc-network']],
    ]);
  });

  it('accepts an operator’s bearer session wherever it accepts the cookie', async () => {
    const { grant, merchants } = await grantFor(service, scene.merchant.email);
    const session = { grant, choice: merchants[0]?.choice, delivery: 'bearer' };
    const { body } = await call(at('merchant-sessions'), { body: session });
    const headers = { authorization: `Bearer ${body.session_token as string}` };
    const proposed = await call(at('automation-policies'), { headers, body: policyInput(scene) });
    expect(proposed.status).toBe(201);
    const policyId = proposed.body.data.id as string;
    expect((await call(at(`automation-policies/${policyId}`), { headers })).status).toBe(200);
    const { deviceId, token } = scene.device;
    const asWallet = `automation-policies/${policyId}?device_id=${deviceId}&token=${token}`;
    expect((await call(at(asWallet))).body.data).toEqual(proposed.body.data);
    // An API key is enough; a wallet's credential next to it is not checked.
    const keyAndDevice = { ...scene.headers, authorization: 'Device dev_nobody:nothing' };
    expect((await call(at(`automation-policies/${policyId}`), { headers: keyAndDevice })).status).toBe(200);
    await call(at(`automation-policies/${policyId}`), { method: 'DELETE', headers });
  });

  describe('with an idempotency key', () => {
    const keyed = (key: string) => ({ 'x-idempotency-key': key });

    it('answers the same intent again with its current state', async () => {
      const first = await createIntent(service, scene, {}, keyed('k1'));
      const inBody = await createIntent(service, scene, { idempotency_key: 'k1' });
      const inAll = await createIntent(
        service,
        scene,
        { idempotency_key: 'k1' },
        { ...keyed('k1'), 'idempotency-key': 'k1' },
      );
      expect([first.status, inBody.status, inAll.status]).toEqual([201, 200, 200]);
      expect(inBody.body.data).toEqual(first.body.data);
      expect(inAll.headers.get('idempotent-replayed')).toBe('true');
      expect(inAll.headers.get('location')).toBe(first.headers.get('location'));
    });

    it('takes two spellings of an expiry time for the same intent', async () => {
      const ask = (expires_at: string) => createIntent(service, scene, { expires_at }, keyed('spelled'));
      const soon = new Date(Date.now() + 3_600_000).toISOString();
      const first = await ask(soon.replace('Z', '+00:00'));
      expect([first.status, first.body.data.expires_at]).toEqual([201, soon]);
      expect((await ask(soon)).status).toBe(200);
    });

    it('answers the same intent again after policy and connection have changed', async () => {
      const other = await setAgentPaymentScene(service, dns);
      const policyId = await createActivePolicy(service, other);
      const asked = () => createIntent(service, other, {}, keyed('asked'));
      const paid = () => createIntent(service, other, { initiator: 'agent' }, keyed('paid'));
      const first = [await asked(), await paid()];
      expect(first.map(({ status }) => status)).toEqual([201, 201]);
      mustBe(200, await optIn(service, other, policyId, 'opt-out'));
      const ended = { headers: other.device.headers, method: 'DELETE' };
      mustBe(200, await call(at(`connections/${other.connection.connectionId}`), ended));
      expect((await createIntent(service, other)).status).not.toBe(201);
      const again = [await asked(), await paid()];
      expect(again.map(({ status }) => status)).toEqual([200, 200]);
      expect(again.map(({ body }) => body.data.id as string)).toEqual(first.map(({ body }) => body.data.id as string));
    });

    it('does not tell another merchant that its connection has used a key', async () => {
      const { connectionId: connection_id } = scene.connection;
      const change = { idempotency_scope: 'connection', connection_id, recipient_id: scene.recipient.recipientId };
      expect((await createIntent(service, scene, change, keyed('theirs'))).status).toBe(201);
      const stranger = await setAgentPaymentScene(service, dns);
      const create = (key: string, more: object = {}) =>
        createIntent(service, stranger, { ...change, ...more }, keyed(key));
      const evaluate = (key: string, more: object = {}) =>
        call(at('automation-policies/evaluate'), {
          headers: { ...stranger.headers, ...keyed(key) },
          body: intentInput(stranger, { ...change, initiator: 'agent', ...more }),
        });
      for (const ask of [create, evaluate]) {
        const [used, unused, different] = [
          await ask('theirs'),
          await ask('unused'),
          await ask('theirs', { amount: '7' }),
        ];
        expect(used.status).toBe(unused.status);
        expect([used.body.error, different.body.error]).toEqual([unused.body.error, unused.body.error]);
        expect(used.body.error.code).toBeDefined();
      }
    });

    it('refuses a different intent under the same key', async () => {
      await createIntent(service, scene, {}, keyed('k2'));
      for (const changes of [{ amount: '1.5' }, { initiator: 'agent' }, { metadata: {} }]) {
        expect(refusal(await createIntent(service, scene, changes, keyed('k2')))).toEqual([
          409,
          'IDEMPOTENCY_KEY_REUSED',
        ]);
      }
    });

    it('refuses every intent but one if several come under the same key at once', async () => {
      const amounts = Array.from({ length: 10 }, (_, index) => `${index + 1}`);
      const answers = await Promise.all(
        amounts.map((amount) => createIntent(service, scene, { amount }, keyed('several'))),
      );
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused.map(refusal)).toEqual(Array.from({ length: 9 }, () => [409, 'IDEMPOTENCY_KEY_REUSED']));
    });

    it('refuses conflicting keys, and keys that are too long', async () => {
      expect(refusal(await createIntent(service, scene, { idempotency_key: 'b' }, keyed('a')))).toEqual([
        400,
        'IDEMPOTENCY_KEY_MISMATCH',
      ]);
      expect(refusal(await createIntent(service, scene, { idempotency_key: 'x'.repeat(257) }))[1]).toBe(
        'validation_failed',
      );
    });

    it('keeps the keys of different merchants apart', async () => {
      const other = await setAgentPaymentScene(service, dns);
      const [one, two] = [
        await createIntent(service, scene, {}, keyed('shared')),
        await createIntent(service, other, {}, keyed('shared')),
      ];
      expect([one.status, two.status]).toEqual([201, 201]);
      expect(one.body.data.id).not.toBe(two.body.data.id);
    });

    it('leaves the key free if the agent may not pay on its own', async () => {
      const refused = await createIntent(service, scene, { initiator: 'agent', amount: '9' }, keyed('k3'));
      expect(refusal(refused)).toEqual([403, 'HC_NC_5_HITL_REQUIRED']);
      const asked = await createIntent(service, scene, { initiator: 'human', amount: '9' }, keyed('k3'));
      expect(asked.status).toBe(201);
    });
  });
});
