import { TESTNET_FACTS } from './support/agents';
import {
  createActivePolicy,
  createIntent,
  hitl,
  optIn,
  proposePolicy,
  readIntent,
  readPolicy,
  reportIntent,
  setAgentPaymentScene,
  spentOf,
} from './support/agent-payments';
import { countFigure, sizeFrom } from './support/figures';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { refusal } from './support/payments';
import { useScene } from './support/use-service';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const HASH = 'ab'.repeat(32);
/** 1000 in the full-size run; the kill test uses as many on the embedded stores in any case. */
const AT_ONCE = sizeFrom('CHAOS_INTENTS', 60);
/** How many of them fit into the limit. */
const FITTING = AT_ONCE > 150 ? 101 : 41;

describeOnEachPair('agent payments', (start) => {
  const { service, dns, scene } = useScene({ start, set: setAgentPaymentScene });

  it('are created for a person to decide, with every fact from the recipient', async () => {
    const headers = { 'x-idempotency-key': 'order-7', 'x-request-id': 'mine' };
    const answer = await createIntent(service, scene, { metadata: { order: 7 } }, headers);
    expect(answer.status).toBe(201);
    const { id, created_at } = answer.body.data as Record<string, string>;
    expect(answer.body).toEqual({
      success: true,
      data: {
        id: expect.stringMatching(/^ap_[0-9A-HJKMNP-TV-Z]{26}$/),
        status: 'intent_created',
        initiator: 'human',
        network: 'stellar_testnet',
        asset: 'XLM',
        amount: '1.50',
        connection_id: scene.connection.connectionId,
        recipient_id: scene.recipient.recipientId,
        recipient_version_id: scene.recipient.recipientVersionId,
        payee: { name: 'Example Shop', verified: true, domain: scene.merchant.domain },
        payment: {
          rail: 'stellar_xlm',
          network: 'stellar_testnet',
          asset: 'XLM',
          amount: '1.50',
          to: TESTNET_FACTS.address,
          decimals: 7,
        },
        idempotency_key: 'order-7',
        metadata: { order: 7 },
        created_at: expect.stringMatching(TIME),
        expires_at: new Date(Date.parse(created_at ?? '') + 15 * 60_000).toISOString(),
        settlement: null,
        contested: false,
        updated_at: created_at,
        version: 1,
        is_final: false,
      },
      request_id: 'mine',
      timestamp: expect.stringMatching(TIME),
    });
    expect(answer.headers.get('location')).toBe(`/v1/agent-payments/${id}`);
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    const readers = [scene.headers, scene.merchant.headers, scene.device.headers];
    const reads = await Promise.all(readers.map((reader) => readIntent(service, { headers: reader }, id ?? '')));
    // A wallet also gets the review for the person.
    const shown = reads.map(({ body: { data } }) => {
      const { review: _review, payment_uri: _uri, ...payment } = data as Record<string, unknown>;
      return payment;
    });
    expect(shown).toEqual(readers.map(() => answer.body.data as object));
    expect(reads.map(({ body }) => 'review' in body.data)).toEqual([false, false, true]);
  });

  it('reach confirmed as the wallet reports each step', async () => {
    const { body } = await createIntent(service, scene);
    const id = body.data.id as string;
    const steps = [
      [{ status: 'signed' }, { status: 'signed', version: 2, is_final: false }],
      [
        { status: 'broadcasted', transaction_hash: HASH },
        { status: 'broadcasted', transaction_hash: HASH },
      ],
      [
        { status: 'confirmed', transaction_hash: HASH, ledger: 1017 },
        { status: 'confirmed', ledger: 1017, version: 4, is_final: true },
      ],
    ] as const;
    for (const [report, expected] of steps) {
      const first = await reportIntent(service, scene, id, report);
      expect([first.status, first.body.data]).toEqual([200, expect.objectContaining(expected)]);
      const again = await reportIntent(service, scene, id, report);
      expect([again.status, again.body.data]).toEqual([200, first.body.data]);
    }
    const late = await reportIntent(service, scene, id, { status: 'failed', reason: 'x' });
    expect(refusal(late)).toEqual([409, 'invalid_status_transition']);
    expect(late.body.error.details).toEqual({ current_status: 'confirmed' });
  });

  it('are made by an agent on its own only under a policy that the wallet opted in to', async () => {
    const other = await setAgentPaymentScene(service, dns);
    const alone = { initiator: 'agent', amount: '2.5' };
    expect(hitl(await createIntent(service, other, alone))).toEqual([
      403,
      'HC_NC_5_HITL_REQUIRED',
      ['no_active_policy'],
    ]);
    const proposed = await proposePolicy(service, other);
    expect([proposed.status, proposed.body.data.status]).toEqual([201, 'awaiting_opt_in']);
    const policyId = proposed.body.data.id as string;
    expect(hitl(await createIntent(service, other, { ...alone, policy_id: policyId }))[2]).toEqual([
      'no_active_policy',
    ]);

    const active = await optIn(service, other, policyId);
    expect(active.body.data).toMatchObject({
      id: policyId,
      status: 'active',
      spent: '0',
      remaining: '100',
      version: 2,
    });
    const made = await createIntent(service, other, alone);
    expect([made.status, made.body.data]).toEqual([
      201,
      expect.objectContaining({ policy_id: policyId, initiator: 'agent', amount: '2.5' }),
    ]);
    expect(await spentOf(service, other, policyId)).toEqual(['2.5', '97.5']);

    expect((await optIn(service, other, policyId, 'opt-out')).body.data.status).toBe('opted_out');
    expect(hitl(await createIntent(service, other, alone))[2]).toEqual(['no_active_policy']);
    // A person may still do what the agent may not do on its own.
    expect((await createIntent(service, other, { ...alone, initiator: 'human' })).status).toBe(201);
  });

  it('name every threshold that prevents them', async () => {
    const other = await setAgentPaymentScene(service, dns);
    const policyId = await createActivePolicy(service, other, {
      single_tx_limit: '10',
      cumulative_limit: '15',
      valid_from: '2090-01-01T00:00:00Z',
      allowlist: [other.recipient.recipientId],
    });
    const alone = (amount: string) => createIntent(service, other, { initiator: 'agent', amount, policy_id: policyId });
    expect(hitl(await alone('10'))[2]).toEqual(['validity_window']);
    expect(hitl(await alone('10.0000001'))[2]).toEqual(['single_tx_limit', 'validity_window']);
    expect(hitl(await alone('15.0000001'))[2]).toEqual(['single_tx_limit', 'cumulative_limit', 'validity_window']);
    expect(await spentOf(service, other, policyId)).toEqual(['0', '15']);
  });

  it.each([
    ['rejected', { status: 'rejected' }],
    ['failed', { status: 'failed', reason: 'no funds' }],
  ])('release their amount when %s', async (_, report) => {
    const other = await setAgentPaymentScene(service, dns);
    const policyId = await createActivePolicy(service, other, { cumulative_limit: '10' });
    const alone = { initiator: 'agent', amount: '10' };
    const { body } = await createIntent(service, other, alone);
    expect(hitl(await createIntent(service, other, alone))[2]).toEqual(['cumulative_limit']);
    expect((await reportIntent(service, other, body.data.id as string, report)).status).toBe(200);
    expect(await spentOf(service, other, policyId)).toEqual(['0', '10']);
    expect((await createIntent(service, other, alone)).status).toBe(201);
    expect(await spentOf(service, other, policyId)).toEqual(['10', '0']);
  });

  it('keep their amount once confirmed', async () => {
    const other = await setAgentPaymentScene(service, dns);
    const policyId = await createActivePolicy(service, other);
    const { body } = await createIntent(service, other, { initiator: 'agent', amount: '0.1' });
    const id = body.data.id as string;
    await reportIntent(service, other, id, { status: 'signed' });
    await reportIntent(service, other, id, { status: 'broadcasted', transaction_hash: HASH });
    const confirmed = await reportIntent(service, other, id, { status: 'confirmed', transaction_hash: HASH });
    expect(confirmed.status).toBe(200);
    expect(await spentOf(service, other, policyId)).toEqual(['0.1', '99.9']);
  });

  it('fit a cumulative limit exactly, however many are asked for at once', async () => {
    const other = await setAgentPaymentScene(service, dns);
    const limit = String(FITTING / 10);
    const policyId = await createActivePolicy(service, other, { cumulative_limit: limit, single_tx_limit: '1' });
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => createIntent(service, other, { initiator: 'agent', amount: '0.1' })),
    );
    const made = answers.filter(({ status }) => status === 201).length;
    countFigure('a cap holds at once', AT_ONCE, FITTING, made);
    expect(made).toBe(FITTING);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(hitl)).toEqual(refused.map(() => [403, 'HC_NC_5_HITL_REQUIRED', ['cumulative_limit']]));
    expect(await spentOf(service, other, policyId)).toEqual([limit, '0']);
    const { body } = await call(`${service.url}/v1/agent-payments?limit=200`, { headers: other.headers });
    expect(body.data.agent_payments).toHaveLength(FITTING);
  });

  it('are created and reserved once, however many calls use one key at once', async () => {
    const other = await setAgentPaymentScene(service, dns);
    const policyId = await createActivePolicy(service, other);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        createIntent(service, other, { initiator: 'agent', amount: '3' }, { 'idempotency-key': 'storm' }),
      ),
    );
    expect(new Set(answers.map(({ body }) => body.data.id as string)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(49);
    expect(await spentOf(service, other, policyId)).toEqual(['3', '97']);
  });

  it('of others look the same as payments that do not exist', async () => {
    const policyId = await createActivePolicy(service, scene);
    const { body } = await createIntent(service, scene);
    const stranger = await setAgentPaymentScene(service, dns);
    const ids = [body.data.id as string, 'ap_01JZZZZZZZZZZZZZZZZZZZZZZZ'];
    const policies = [policyId, 'pol_01JZZZZZZZZZZZZZZZZZZZZZZZ'];
    const answers = [
      ...(await Promise.all(ids.map((id) => readIntent(service, stranger, id)))),
      ...(await Promise.all(ids.map((id) => readIntent(service, stranger.merchant, id)))),
      ...(await Promise.all(ids.map((id) => readIntent(service, stranger.device, id)))),
      ...(await Promise.all(ids.map((id) => reportIntent(service, stranger, id, { status: 'signed' })))),
      ...(await Promise.all(policies.map((id) => readPolicy(service, stranger, id)))),
      ...(await Promise.all(policies.map((id) => optIn(service, stranger, id)))),
      ...(await Promise.all(policies.map((id) => optIn(service, stranger, id, 'opt-out')))),
      await createIntent(service, stranger, { connection_id: scene.connection.connectionId }),
      await createIntent(service, stranger, { recipient_id: scene.recipient.recipientId }),
      await createIntent(service, stranger, { initiator: 'agent', policy_id: policyId }),
      await proposePolicy(service, stranger, { connection_id: scene.connection.connectionId }),
    ];
    expect(answers.map(refusal)).toEqual(answers.map(() => [404, 'resource_not_found']));
    const list = await call(`${service.url}/v1/agent-payments`, { headers: stranger.headers });
    expect(list.body.data).toEqual({ agent_payments: [], next_cursor: null });
  });
});
