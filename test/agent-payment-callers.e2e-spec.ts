import { request } from 'node:http';
import {
  type AgentPaymentScene,
  createActivePolicy,
  createApiKey,
  createIntent,
  issuesOf,
  optIn,
  policyInput,
  proposePolicy,
  readIntent,
  readPolicy,
  reportIntent,
  setAgentPaymentScene,
} from './support/agent-payments';
import { changeAgent, createActiveAgent } from './support/agents';
import { connectAgent, mustBe } from './support/connections';
import { registerDevice } from './support/devices';
import { type Answer, call } from './support/http';
import { refusal } from './support/payments';
import { useScene } from './support/use-service';

type Listed = readonly Readonly<{ id: string; status: string }>[];

describe('callers of the agent-payment surface', () => {
  const { service, dns, scene } = useScene({ set: setAgentPaymentScene });

  const at = (path: string): string => `${service.url}/v1/${path}`;

  /** Sends headers as raw lines: other clients merge repeated ones. */
  const callRaw = (path: string, headers: readonly string[]): Promise<Pick<Answer, 'status' | 'body'>> =>
    new Promise((resolve, reject) => {
      const asked = request(at(path), { headers: ['host', 'svc.test', ...headers] });
      asked.on('response', (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) as Answer['body'] }));
      });
      asked.on('error', reject).end();
    });

  it('must not repeat a credential, not even the same one', async () => {
    const { secret } = await createApiKey(service, scene.merchant);
    const [device, other] = [`Device ${scene.device.deviceId}:${scene.device.token}`, 'Device dev_other:nothing'];
    const repeats: [string, string[]][] = [
      ['x-svc-api-key', ['x-svc-api-key', secret, 'x-svc-api-key', secret]],
      ['x-svc-api-key', ['X-Svc-Api-Key', secret, 'x-svc-api-key', scene.secret]],
      ['authorization', ['authorization', device, 'Authorization', other]],
      ['authorization', ['authorization', device, 'authorization', device]],
    ];
    for (const [field, headers] of repeats) {
      const { status, body } = await callRaw('agent-payments', headers);
      expect([status, body.success, body.error.details.issues]).toEqual([
        400,
        false,
        [expect.objectContaining({ code: 'repeated', field })],
      ]);
    }
    expect((await callRaw('agent-payments', ['x-svc-api-key', secret])).status).toBe(200);
  });

  it('cannot report on a payment from a wallet other than the one that is to pay, even one of the same agent', async () => {
    const { data } = mustBe(201, await createIntent(service, scene)).body;
    const device = await registerDevice(service);
    await connectAgent(service, scene.agent, device);
    for (const body of [{ status: 'signed' }, { status: 'rejected' }, { status: 'failed', reason: 'no funds' }]) {
      expect(refusal(await reportIntent(service, { device }, data.id as string, body))).toEqual([
        404,
        'resource_not_found',
      ]);
    }
    expect((await readIntent(service, scene, data.id as string)).body.data.status).toBe('intent_created');
  });

  describe('over a connection that was not granted payment.requests.create', () => {
    const readOnly = async (): Promise<AgentPaymentScene> => {
      const scopes = ['payment.requests.read'];
      return { ...scene, connection: await connectAgent(service, scene.agent, scene.device, { scopes }) };
    };
    const refused = ({ status, body }: Answer) => [status, body.error.code, body.error.details.required_scope];
    const MISSING = [403, 'insufficient_scope', 'payment.requests.create'];

    it('are refused, whether an agent or a person initiates', async () => {
      const narrow = await readOnly();
      const policyId = await createActivePolicy(service, narrow);
      expect(refused(await createIntent(service, narrow, { initiator: 'human' }))).toEqual(MISSING);
      expect(refused(await createIntent(service, narrow, { initiator: 'agent', policy_id: policyId }))).toEqual(
        MISSING,
      );
      const spent = await readPolicy(service, narrow, policyId);
      expect(spent.body.data.spent).toBe('0');
    });

    it('are refused from the moment the agent loses the scope', async () => {
      const agent = await createActiveAgent(service, scene.merchant);
      const wide = { ...scene, connection: await connectAgent(service, agent, scene.device) };
      expect((await createIntent(service, wide, { initiator: 'human' })).status).toBe(201);
      const allowed_scopes = ['payment.requests.read'];
      mustBe(200, await changeAgent(service, scene.merchant, agent.agentId, { allowed_scopes }));
      expect(refused(await createIntent(service, wide, { initiator: 'human' }))).toEqual(MISSING);
    });
  });

  it.each(['x-merchant-id', 'x-svc-merchant-id', 'x-tenant-id', 'x-svc-agent-id', 'Merchant_Id'])(
    'are identified by their credential, not by %s',
    async (header) => {
      const stranger = await setAgentPaymentScene(service, dns);
      const headers = { ...scene.headers, [header]: stranger.merchant.merchantId };
      const answer = await call(at('agent-payments'), { headers });
      expect([refusal(answer), issuesOf(answer)]).toEqual([
        [400, 'validation_failed'],
        [['identity_not_accepted', header.toLowerCase()]],
      ]);
    },
  );

  it('have no other header for an API key: similar names are ignored', async () => {
    const { secret } = scene;
    for (const header of ['x-api-key', 'svc-api-key', 'x-svc-api-key-override', 'x-forwarded-api-key']) {
      expect(refusal(await call(at('agent-payments'), { headers: { [header]: secret } }))).toEqual([
        401,
        'unauthenticated',
      ]);
    }
    expect(refusal(await call(at(`agent-payments?x-svc-api-key=${secret}`)))).toEqual([401, 'unauthenticated']);
    const overridden = { 'x-svc-api-key': 'svc_sk_nothing', 'x-api-key': secret, 'x-svc-api-key-override': secret };
    expect(refusal(await call(at('agent-payments'), { headers: overridden }))).toEqual([401, 'invalid_token']);
  });

  it('are told that an API key is not enough where an operator’s session is required', async () => {
    const { headers } = scene;
    const asked = [
      call(at('automation-policies'), { headers, body: policyInput(scene) }),
      call(at('automation-policies/pol_x'), { method: 'PATCH', headers, body: { version: 1 } }),
      call(at('automation-policies/pol_x'), { method: 'DELETE', headers }),
    ];
    for (const answer of await Promise.all(asked)) {
      expect(refusal(answer)).toEqual([401, 'unauthenticated']);
      expect(answer.body.error.message).toMatch(/merchant session/);
      expect(answer.body.error.message).not.toMatch(/no credential/);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /);
    }
    const beside = { ...headers, ...scene.merchant.headers };
    expect((await call(at('automation-policies'), { headers: beside, body: policyInput(scene) })).status).toBe(201);
    const nobody = await call(at('automation-policies'), { body: policyInput(scene) });
    expect([refusal(nobody), nobody.body.error.message]).toEqual([
      [401, 'unauthenticated'],
      expect.stringContaining('no credential'),
    ]);
  });

  it('may send a wallet’s credential in the body', async () => {
    const { deviceId: device_id, token } = scene.device;
    const { body } = await proposePolicy(service, scene);
    const policy = `automation-policies/${body.data.id as string}`;
    for (const [way, status] of [
      ['opt-in', 'active'],
      ['opt-out', 'opted_out'],
    ]) {
      const wrong = await call(at(`${policy}/${way}`), { body: { device_id, token: `${token}x` } });
      expect(refusal(wrong)).toEqual([401, 'invalid_token']);
      const answer = await call(at(`${policy}/${way}`), { body: { device_id, token } });
      expect([answer.status, answer.body.data.status]).toEqual([200, status]);
    }
    const { id } = (await createIntent(service, scene)).body.data as { id: string };
    const signed = await call(at(`agent-payments/${id}/status`), { body: { device_id, token, status: 'signed' } });
    expect([signed.status, signed.body.data.status]).toEqual([200, 'signed']);
  });

  it('are told everything that is missing or malformed in a policy, also in a change to one', async () => {
    const { body } = await proposePolicy(service, scene);
    const patch = (changes: object) =>
      call(at(`automation-policies/${body.data.id as string}`), {
        method: 'PATCH',
        headers: scene.merchant.headers,
        body: changes,
      });
    expect(issuesOf(await patch({ single_tx_limit: '0', valid_until: 'soon', allowlist: [] })).sort()).toEqual([
      ['invalid_amount', 'single_tx_limit'],
      ['malformed', 'valid_until'],
      ['required', 'version'],
      ['too_short', 'allowlist'],
    ]);
    const input = policyInput(scene, { single_tx_limit: undefined, valid_from: undefined, allowlist: undefined });
    const missing = await call(at('automation-policies'), { headers: scene.merchant.headers, body: input });
    expect(issuesOf(missing)).toEqual([
      ['required', 'single_tx_limit'],
      ['required', 'valid_from'],
      ['required', 'allowlist'],
    ]);
  });

  it('list their own payments, by status and by connection, in pages', async () => {
    const other = await setAgentPaymentScene(service, dns);
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      made.unshift((await createIntent(service, other)).body.data.id as string);
    }
    const [last = '', ...rest] = made;
    const { deviceId: device_id, token } = other.device;
    await call(at(`agent-payments/${last}/status`), { body: { device_id, token, status: 'rejected' } });
    const listed = async (query: string, headers: Readonly<Record<string, string>>): Promise<string[]> => {
      const ids: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await call(at(`agent-payments?limit=2&${query}${cursor && `&cursor=${cursor}`}`), { headers });
        const found = page.body.data.agent_payments as Listed;
        expect(found.length).toBeLessThanOrEqual(2);
        ids.push(...found.map(({ id }) => id));
        cursor = page.body.data.next_cursor as string | null;
      }
      return ids;
    };
    for (const headers of [other.headers, other.merchant.headers, other.device.headers]) {
      expect(await listed('', headers)).toEqual(made);
      expect(await listed('status=rejected', headers)).toEqual([last]);
      expect(await listed('status=intent_created', headers)).toEqual(rest);
    }
    expect(await listed(`device_id=${device_id}&token=${token}`, {})).toEqual(made);

    const policyId = (await proposePolicy(service, other)).body.data.id as string;
    await optIn(service, other, policyId);
    const policies = async (query: string, headers: Readonly<Record<string, string>>): Promise<string[]> =>
      ((await call(at(`automation-policies?${query}`), { headers })).body.data.automation_policies as Listed).map(
        ({ id }) => id,
      );
    for (const headers of [other.headers, other.merchant.headers, other.device.headers]) {
      expect(await policies(`connection_id=${other.connection.connectionId}`, headers)).toEqual([policyId]);
      expect(await policies('connection_id=con_other', headers)).toEqual([]);
    }
    expect(await policies('', scene.headers)).not.toContain(policyId);
  });
});
