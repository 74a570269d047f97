import { randomUUID } from 'node:crypto';
import { PolicySlots } from '../src/capabilities/automation-policies/policy-slots';
import {
  type AgentPaymentScene,
  createActivePolicy,
  createIntent,
  hitl,
  optIn,
  policyInput,
  proposePolicy,
  readIntent,
  readPolicy,
  reportIntent,
  setAgentPaymentScene,
} from './support/agent-payments';
import { mustBe } from './support/connections';
import { eventually } from './support/eventually';
import { type Answer, call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { refusal } from './support/payments';
import { useServiceWithDns } from './support/use-service';

const HASH = 'ab'.repeat(32);
const AT_ONCE = 30;

/** One policy at a time counts for a connection, network and asset. */
describeOnEachPair('the policies of one connection, network and asset', (start) => {
  let scene: AgentPaymentScene;

  const { service, dns } = useServiceWithDns({ start });
  beforeEach(async () => {
    scene = await setAgentPaymentScene(service, dns);
  });
  afterEach(() => jest.restoreAllMocks());

  const policies = (): string => `${service.url}/v1/automation-policies`;
  const device = () => ({ device_id: scene.device.deviceId, token: scene.device.token });
  const make = (changes: object = {}, key: string = randomUUID()): Promise<Answer> =>
    call(policies(), {
      headers: { 'idempotency-key': key },
      body: { ...policyInput(scene, { ...changes }), ...device() },
    });
  const made = async (changes: object = {}): Promise<string> => mustBe(201, await make(changes)).body.data.id as string;
  const read = async (id: string): Promise<Record<string, any>> =>
    mustBe(200, await readPolicy(service, scene, id)).body.data;
  const totals = async (id: string): Promise<string[]> => {
    const { reserved, spent, remaining } = await read(id);
    return [reserved, spent, remaining] as string[];
  };
  const pay = (amount: string, changes: object = {}): Promise<Answer> =>
    createIntent(service, scene, { initiator: 'agent', amount, ...changes });
  const paid = async (amount: string): Promise<string> => mustBe(201, await pay(amount)).body.data.id as string;
  const report = (id: string, status: string, more: object = {}): Promise<Answer> =>
    reportIntent(service, scene, id, { status, ...more });
  const soon = (look: () => Promise<boolean>): Promise<boolean> => eventually(look, Boolean, 'what follows');
  const statusOf = async (id: string): Promise<unknown[]> => {
    const { status, reason } = mustBe(200, await readIntent(service, scene, id)).body.data;
    return [status, reason];
  };

  it('are one while it is active, whoever makes the other', async () => {
    const first = await made();
    const second = await make();
    expect(refusal(second)).toEqual([409, 'policy_already_active']);
    expect(second.body.error.details.policy_id).toBe(first);
    const proposed = mustBe(201, await proposePolicy(service, scene)).body.data.id as string;
    const agreed = await optIn(service, scene, proposed);
    expect([refusal(agreed), agreed.body.error.details.policy_id]).toEqual([[409, 'policy_already_active'], first]);
    const another = await optIn(service, scene, proposed, 'opt-in', { replaces: proposed });
    expect(refusal(another)).toEqual([409, 'policy_already_active']);
    expect((await read(proposed)).status).toBe('awaiting_opt_in');

    mustBe(200, await optIn(service, scene, first, 'opt-out'));
    mustBe(200, await optIn(service, scene, proposed));
    expect(refusal(await optIn(service, scene, first))).toEqual([409, 'policy_already_active']);
    // Agreeing again to the one that is active is no other policy.
    mustBe(200, await optIn(service, scene, proposed, 'opt-in', { cumulative_limit: '50' }));
  });

  it('begin their own cap when they replace another, which ends', async () => {
    const old = await made({ cumulative_limit: '20' });
    const signed = await paid('3');
    mustBe(200, await report(signed, 'signed'));
    const sent = await paid('4');
    mustBe(200, await report(sent, 'signed'));
    mustBe(200, await report(sent, 'broadcasted', { transaction_hash: HASH }));
    const pending = await paid('5');
    expect(await totals(old)).toEqual(['8', '4', '8']);

    const proposed = mustBe(201, await proposePolicy(service, scene)).body.data.id as string;
    const { data } = mustBe(200, await optIn(service, scene, proposed, 'opt-in', { replaces: old })).body;
    expect(data).toMatchObject({ status: 'active', replaces: old, reserved: '0', spent: '0', remaining: '100' });
    expect(data.replaced).toMatchObject({ id: old, spent: '4' });
    expect(await read(old)).toMatchObject({ status: 'replaced', replaced_by: proposed });
    expect(refusal(await optIn(service, scene, old))).toEqual([409, 'invalid_status_transition']);

    await soon(async () => (await statusOf(pending))[0] === 'failed');
    expect(await statusOf(pending)).toEqual(['failed', 'withdrawn']);
    expect((await statusOf(signed))[0]).toBe('signed');
    await soon(async () => (await totals(old))[0] === '3');
    expect(hitl(await pay('1', { policy_id: old }))[2]).toEqual(['no_active_policy']);
    const { body } = mustBe(201, await pay('1'));
    expect(body.data.policy_id).toBe(proposed);

    const connection = await call(`${service.url}/v1/connections/${scene.connection.connectionId}`, {
      headers: scene.device.headers,
    });
    expect(mustBe(200, connection).body.automation_policies).toEqual([
      { id: proposed, network: 'stellar_testnet', asset: 'XLM', reserved: '1', spent: '0', remaining: '99' },
    ]);
  });

  it('are one, however many are made at once', async () => {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => make({ cumulative_limit: '20' })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 201).map(refusal);
    expect(refused).toEqual(refused.map(() => [409, 'policy_already_active']));
    const payments = await Promise.all(Array.from({ length: 2 * AT_ONCE }, () => pay('1')));
    expect(payments.filter(({ status }) => status === 201)).toHaveLength(20);

    const [active] = answers.filter(({ status }) => status === 201).map(({ body }) => body.data.id as string);
    const replacing = await Promise.all(Array.from({ length: 10 }, () => make({ replaces: active })));
    expect(replacing.filter(({ status }) => status === 201)).toHaveLength(1);
    const { body } = await call(policies(), { headers: scene.headers });
    const statuses = (body.data.automation_policies as { status: string }[]).map(({ status }) => status);
    expect(statuses.sort()).toEqual(['active', 'replaced']);
  });

  it('are finished after a crash between the decision and what follows from it', async () => {
    const old = await made();
    const slots = service.app.get(PolicySlots);
    const finish = slots.finish.bind(slots);
    let dead = true;
    // The call dies after the decision; the reactor's attempts fail too, until the service is back.
    jest
      .spyOn(slots, 'finish')
      .mockImplementation((taken, context) =>
        dead && taken.turn > 1 ? Promise.reject(new Error('killed')) : finish(taken, context),
      );
    const key = randomUUID();
    expect((await make({ replaces: old }, key)).status).toBe(500);
    expect((await read(old)).status).toBe('active');
    dead = false;
    await soon(async () => (await read(old)).status === 'replaced');
    const again = await make({ replaces: old }, key);
    expect([200, 201]).toContain(again.status);
    expect(again.body.data.status).toBe('active');
    expect((await make({ replaces: old }, key)).body.data.id).toBe(again.body.data.id);
  });

  it('count money that moves late once, past their cap and after their end', async () => {
    const policy = await made({ cumulative_limit: '5' });
    const lost = await paid('4');
    mustBe(200, await report(lost, 'rejected'));
    expect(await totals(policy)).toEqual(['0', '0', '5']);
    const next = await paid('3');
    mustBe(200, await report(next, 'signed'));
    mustBe(200, await optIn(service, scene, policy, 'opt-out'));
    for (const status of ['broadcasted', 'broadcasted', 'confirmed'])
      expect((await report(lost, status, { transaction_hash: HASH })).status).toBe(409);
    await soon(async () => (await totals(policy))[1] === '4');
    expect(await totals(policy)).toEqual(['3', '4', '0']);
    mustBe(200, await report(next, 'failed', { reason: 'no funds' }));
    await soon(async () => (await totals(policy))[0] === '0');
    expect(await totals(policy)).toEqual(['0', '4', '1']);
    mustBe(200, await optIn(service, scene, policy));
    expect(hitl(await pay('2'))[2]).toEqual(['cumulative_limit']);
    const evaluate = (amount: string) =>
      call(`${policies()}/evaluate`, {
        headers: scene.headers,
        body: {
          network: 'stellar_testnet',
          recipient_id: scene.recipient.recipientId,
          amount,
          connection_id: scene.connection.connectionId,
        },
      });
    expect((await evaluate('2')).body.data).toMatchObject({ permitted: false, remaining: '1' });
    expect((await evaluate('1')).body.data).toMatchObject({ permitted: true, remaining: '1' });
    // Replayed, the past decides as it did.
    const simulated = await call(`${policies()}/${policy}/simulate`, { headers: scene.device.headers, body: {} });
    expect(mustBe(200, simulated).body.data).toMatchObject({ intents: 3, permitted: 2, differences: [] });
  });

  it('may be declined while they are proposed', async () => {
    const id = mustBe(201, await proposePolicy(service, scene)).body.data.id as string;
    const decline = () => optIn(service, scene, id, 'decline');
    expect(mustBe(200, await decline()).body.data.status).toBe('declined');
    expect(mustBe(200, await decline()).body.data.status).toBe('declined');
    expect(refusal(await optIn(service, scene, id))).toEqual([409, 'invalid_status_transition']);
    const active = await createActivePolicy(service, scene);
    expect(refusal(await optIn(service, scene, active, 'decline'))).toEqual([409, 'invalid_status_transition']);
    const stranger = await setAgentPaymentScene(service, dns);
    const open = mustBe(201, await proposePolicy(service, scene)).body.data.id as string;
    expect(refusal(await optIn(service, stranger, open, 'decline'))).toEqual([404, 'resource_not_found']);
  });

  it('that have ended take no place of those that may be made', async () => {
    for (let n = 0; n < 101; n += 1) {
      const { body } = mustBe(201, await proposePolicy(service, scene));
      const { id } = body.data as { id: string };
      mustBe(200, await call(`${policies()}/${id}`, { method: 'DELETE', headers: scene.merchant.headers }));
    }
  });
});
