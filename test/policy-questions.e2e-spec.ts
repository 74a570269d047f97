import {
  type AgentPaymentScene,
  createActivePolicy,
  createIntent,
  intentInput,
  issuesOf,
  optIn,
  reportIntent,
  setAgentPaymentScene,
  spentOf,
} from './support/agent-payments';
import { type Answer, call } from './support/http';
import { signUpMerchant } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { createPayment, eventsOfType, refusal } from './support/payments';
import { useServiceWithDns } from './support/use-service';

describeOnEachPair('evaluating and simulating policies', (start) => {
  let scene: AgentPaymentScene;

  const { service, dns } = useServiceWithDns({ start });
  beforeEach(async () => {
    scene = await setAgentPaymentScene(service, dns);
  });

  const alone = (changes: object = {}) => ({ initiator: 'agent', ...changes });
  const evaluate = (changes: object = {}, headers = scene.headers): Promise<Answer> =>
    call(`${service.url}/v1/automation-policies/evaluate`, {
      headers,
      body: { ...intentInput(scene), initiator: undefined, ...changes },
    });
  const simulate = (id: string, body: object = {}, headers: object = scene.merchant.headers): Promise<Answer> =>
    call(`${service.url}/v1/automation-policies/${id}/simulate`, { headers: headers as Record<string, string>, body });

  it('decides one intent as the payment itself would be decided, and creates nothing', async () => {
    expect((await evaluate()).body.data).toEqual({
      permitted: false,
      triggered_thresholds: ['no_active_policy'],
      remaining: null,
    });
    const policyId = await createActivePolicy(service, scene, { single_tx_limit: '10', cumulative_limit: '12' });
    expect((await evaluate({ amount: '10' })).body.data).toEqual({
      permitted: true,
      policy_id: policyId,
      triggered_thresholds: [],
      remaining: '12',
    });
    expect((await createIntent(service, scene, alone({ amount: '9.5' }))).status).toBe(201);
    for (const amount of ['2.5', '2.6', '11']) {
      const asked = await evaluate({ amount, initiator: 'agent', policy_id: policyId });
      const { permitted, triggered_thresholds, remaining } = asked.body.data;
      expect([asked.status, remaining]).toEqual([200, '2.5']);
      const made = await createIntent(service, scene, alone({ amount, policy_id: policyId, idempotency_key: amount }));
      if (amount === '2.5') {
        expect([permitted, triggered_thresholds, made.status]).toEqual([true, [], 201]);
        await reportIntent(service, scene, made.body.data.id as string, { status: 'rejected' });
      } else {
        expect([permitted, made.status]).toEqual([false, 403]);
        expect(made.body.error.details.triggered_thresholds).toEqual(triggered_thresholds);
        expect(made.body.error.details).not.toHaveProperty('policy_revision');
      }
    }
    expect(await spentOf(service, scene, policyId)).toEqual(['9.5', '2.5']);
    const other = await evaluate({ amount: '1', idempotency_key: '2.5' });
    expect(refusal(other)).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('refuses a key and a duplicate as the payment itself would be refused', async () => {
    await createActivePolicy(service, scene);
    const asked = async (changes: object): Promise<readonly unknown[]> => {
      const [question, payment] = [await evaluate(changes), await createIntent(service, scene, alone(changes))];
      expect([question.status, question.body.error?.details]).toEqual([payment.status, payment.body.error?.details]);
      return refusal(question);
    };
    const shared = { idempotency_scope: 'connection' };
    const agent = { ...scene, headers: { authorization: `Bearer ${scene.connection.connectionToken}` } };
    for (const [key, request_id] of [
      ['order-1', undefined],
      ['order-2', 'invoice-2'],
    ]) {
      const made = await createPayment(service, agent, { idempotency_key: key, request_id, payment: { amount: '2' } });
      expect(made.status).toBe(201);
      expect(await asked({ ...shared, idempotency_key: key, amount: '3' })).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    }
    const only = { if_duplicate: 'refuse', amount: '2', idempotency_key: 'order-3' };
    expect(await asked(only)).toEqual([409, 'possible_duplicate']);
    const before = (await eventsOfType(service, 'PaymentIntentTaken')).length;
    expect((await evaluate({ ...only, amount: '1' })).body.data.permitted).toBe(true);
    expect(await eventsOfType(service, 'PaymentIntentTaken')).toHaveLength(before);
  });

  it('lists every problem of an intent, and refuses a person’s intent', async () => {
    expect(issuesOf(await evaluate({ amount: '-1', initiator: 'human', recipient_id: 'rcp_x' })).sort()).toEqual([
      ['invalid_amount', 'amount'],
      ['not_allowed', 'initiator'],
      ['resource_not_found', 'recipient_id'],
    ]);
    // Null does not count as absent, here as elsewhere.
    expect(issuesOf(await evaluate({ initiator: null }))).toEqual([['wrong_type', 'initiator']]);
    expect(refusal(await evaluate({}, {}))[0]).toBe(401);
    // A payment that a person was asked for says nothing about what the agent may do alone.
    const byPerson = { initiator: 'human', idempotency_key: 'by-a-person' };
    expect((await createIntent(service, scene, byPerson)).status).toBe(201);
    expect(issuesOf(await evaluate(byPerson))).toEqual([['not_allowed', 'initiator']]);
  });

  it('replays past intents, and names those that other thresholds would have changed', async () => {
    const policyId = await createActivePolicy(service, scene, { single_tx_limit: '10', cumulative_limit: '20' });
    const ask = (key: string, amount: string): Promise<Answer> =>
      createIntent(service, scene, alone({ amount, idempotency_key: key, policy_id: policyId }));
    const first = (await ask('a', '8')).body.data.id as string;
    const second = (await ask('b', '9')).body.data.id as string;
    expect((await ask('c', '4')).status).toBe(403);
    await reportIntent(service, scene, first, { status: 'rejected' });
    expect((await ask('d', '4')).status).toBe(201);
    expect((await ask('e', '11')).status).toBe(403);
    const before = (await eventsOfType(service, 'AmountReserved', 'AgentPaymentRefused')).length;

    const same = (await simulate(policyId)).body.data;
    expect(same).toEqual({ intents: 5, permitted: 3, refused: 2, differences: [] });
    const tighter = (await simulate(policyId, { single_tx_limit: '8' })).body.data;
    expect(tighter).toEqual({
      intents: 5,
      permitted: 3,
      refused: 2,
      differences: [
        {
          ...{ idempotency_key: 'b', payment_id: second, amount: '9', permitted: false, was_permitted: true },
          triggered_thresholds: ['single_tx_limit'],
        },
        {
          ...{ idempotency_key: 'c', payment_id: expect.stringMatching(/^ap_/), amount: '4' },
          ...{ permitted: true, was_permitted: false, triggered_thresholds: [] },
        },
      ],
    });
    const looser = { single_tx_limit: '50', cumulative_limit: '500' };
    const wallet = (await simulate(policyId, looser, scene.device.headers)).body.data;
    expect([wallet.permitted, wallet.differences.map((one: any) => one.idempotency_key)]).toEqual([5, ['c', 'e']]);
    expect((await simulate(policyId, { ...looser, to: '2020-01-01T00:00:00Z' })).body.data).toEqual({
      intents: 0,
      permitted: 0,
      refused: 0,
      differences: [],
    });
    expect((await simulate(policyId, { ...looser, from: '2020-01-01T01:00:00+01:00' })).body.data.intents).toBe(5);
    expect((await eventsOfType(service, 'AmountReserved', 'AgentPaymentRefused')).length).toBe(before);
  });

  it('never assumes consent, and is exact after many concurrent intents', async () => {
    const policyId = await createActivePolicy(service, scene, { single_tx_limit: '10', cumulative_limit: '30' });
    const made = await Promise.all(
      Array.from({ length: 60 }, async (_, key) => {
        const body = alone({ amount: String((key % 4) + 1), idempotency_key: `k${key}`, policy_id: policyId });
        const answer = await createIntent(service, scene, body);
        if (answer.status === 201 && key % 3 === 0) {
          await reportIntent(service, scene, answer.body.data.id as string, { status: 'rejected' });
        }
        return answer.status;
      }),
    );
    await optIn(service, scene, policyId, 'opt-out');
    expect((await createIntent(service, scene, alone({ policy_id: policyId }))).status).toBe(403);
    const permitted = made.filter((status) => status === 201).length;
    const same = (await simulate(policyId)).body.data;
    expect(same).toEqual({ intents: 61, permitted, refused: 61 - permitted, differences: [] });
    const all = (await simulate(policyId, { cumulative_limit: '1000000' })).body.data;
    expect([all.permitted, all.refused]).toEqual([60, 1]);
  });

  it('is available to the policy’s owners, and lists every problem', async () => {
    const policyId = await createActivePolicy(service, scene);
    const [stranger, other] = [await signUpMerchant(service, { dns }), await setAgentPaymentScene(service, dns)];
    expect(refusal(await simulate(policyId, {}, stranger.headers))).toEqual([404, 'resource_not_found']);
    expect(refusal(await simulate(policyId, {}, scene.headers))[0]).toBe(401);
    const wrong = {
      single_tx_limit: '0.12345678',
      cumulative_limit: 5,
      valid_from: '2030-01-01T00:00:00Z',
      valid_until: '2029-01-01T00:00:00Z',
      from: '2030-01-02T00:00:00Z',
      to: '2030-01-01T00:00:00Z',
      allowlist: [scene.recipient.recipientId, other.recipient.recipientId, 'rcp_none'],
    };
    const unknown = [1, 2].map((at) => ['resource_not_found', `allowlist.${at}`]);
    for (const headers of [scene.merchant.headers, scene.device.headers]) {
      expect(issuesOf(await simulate(policyId, { allowlist: wrong.allowlist }, headers))).toEqual(unknown);
    }
    expect(issuesOf(await simulate(policyId, wrong)).sort()).toEqual([
      ['invalid_amount', 'cumulative_limit'],
      ['out_of_order', 'to'],
      ['out_of_order', 'valid_until'],
      ...unknown,
      ['too_many_fraction_digits', 'single_tx_limit'],
    ]);
  });
});
