import { type Command, CommandBus } from '@nestjs/cqrs';
import { Duplicates } from '../src/capabilities/payments/duplicates';
import { ForgoAgentPayment, TakeRequestKey } from '../src/capabilities/payments/shared-key-commands';
import { idFor } from '../src/kernel/aggregates';
import { pause } from '../src/kernel/pause';
import { addAmounts } from '../src/kernel/amounts';
import {
  type AgentPaymentScene,
  createActivePolicy,
  createIntent,
  hitl,
  intentInput,
  issuesOf,
  reportIntent,
  setAgentPaymentScene,
  spentOf,
} from './support/agent-payments';
import { type DnsResponder } from './support/dns-responder';
import { type Answer, call } from './support/http';
import { describeOnEachPair, type Pair } from './support/pairs';
import { createPayment, eventsOfType, refusal, reportPayment, startPaymentDns } from './support/payments';
import { findingsAfter } from './support/seeded-log';
import { type TestService } from './support/service';
import { eventually } from './support/eventually';

type Paid = Readonly<{ idempotency_key: string; amount: string }>;

const crowdOn = (pair: Pair): number => (pair === 'embedded' ? 40 : 16);

describeOnEachPair('one key for both surfaces of a connection', (start, pair) => {
  let service: TestService;
  let dns: DnsResponder;
  let scene: AgentPaymentScene;
  let token: Readonly<Record<string, string>>;
  let policyId: string;

  beforeAll(async () => {
    const prepared = await startPaymentDns();
    dns = prepared.dns;
    service = await start({ env: prepared.env });
    scene = await setAgentPaymentScene(service, dns);
    token = { authorization: `Bearer ${scene.connection.connectionToken}` };
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
  });

  const shared = { initiator: 'agent', idempotency_scope: 'connection' };
  const pay = (key: string, amount: string, changes: object = {}, by = scene): Promise<Answer> =>
    createIntent(service, by, { ...shared, amount, idempotency_key: key, ...changes });
  const ask = (key: string, amount: string, changes: object = {}): Promise<Answer> =>
    createPayment(service, { ...scene, headers: token }, { idempotency_key: key, payment: { amount }, ...changes });
  const byKey = (key: string, query = `?connection_id=${scene.connection.connectionId}`, by = scene) =>
    call(`${service.url}/v1/agent-payments/by-key/${encodeURIComponent(key)}${query}`, { headers: by.headers });
  /** Every payment with these keys, on both surfaces, according to the log. */
  const madeUnder = async (...keys: readonly string[]): Promise<readonly string[]> =>
    (await eventsOfType(service, 'PaymentRequestCreated', 'AgentPaymentCreated'))
      .filter(({ data }) => keys.includes((data as { idempotency_key: string }).idempotency_key))
      .map(({ type }) => type);
  const request = 'PaymentRequestCreated';
  const payment = 'AgentPaymentCreated';

  it('goes to the payment request that a policy makes necessary, and stays there', async () => {
    expect(hitl(await pay('refused-1', '2'))).toEqual([403, 'HC_NC_5_HITL_REQUIRED', ['no_active_policy']]);
    const asked = await ask('refused-1', '2');
    expect(asked.status).toBe(201);
    policyId = await createActivePolicy(service, scene, { cumulative_limit: '100000' });
    const again = await pay('refused-1', '2');
    expect(refusal(again)).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    expect(again.body.error.details).toEqual({ request_id: asked.body.payment_request.request_id });
    expect(await madeUnder('refused-1')).toEqual([request]);
    // The request behaves like any other.
    expect((await ask('refused-1', '2')).status).toBe(200);
    const { request_id } = asked.body.payment_request;
    expect((await reportPayment(service, scene, request_id, { status: 'signed' })).status).toBe(200);
    const timeline = await call(`${service.url}/v1/payment-requests/${request_id}/timeline`, { headers: token });
    const types = (timeline.body.timeline as { type: string }[]).map(({ type }) => type);
    expect(types.slice(-3)).toEqual(['payment_request.key_taken', 'payment_request.created', 'payment_request.signed']);
    const { body } = await call(`${service.url}/v1/events`, { headers: scene.merchant.headers });
    const told = (body.events as any[]).filter(({ data }) => data.request_id === request_id);
    expect(told.map(({ type, data }) => [type, data.payment_request.version])).toEqual([
      ['payment_request.created', 2],
      ['payment_request.signed', 3],
    ]);
  });

  it('is refused if the other surface has used it, and only then', async () => {
    const first = await ask('requested', '3');
    expect(refusal(await pay('requested', '3'))).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    const paid = await pay('paid', '4');
    expect([paid.status, (await pay('paid', '4')).status]).toEqual([201, 200]);
    const refused = await ask('paid', '4');
    expect(refusal(refused)).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    expect(refused.body.error.details).toEqual({ payment_id: paid.body.data.id });
    expect(refusal(await ask('paid', '4', { request_id: 'paid-by-name' }))).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    expect(await madeUnder('paid')).toEqual([payment]);
    // Without idempotency_scope a key belongs to its surface alone.
    expect((await pay('requested', '3', { idempotency_scope: undefined })).status).toBe(201);
    expect((await ask('requested', '3')).body.payment_request.request_id).toBe(first.body.payment_request.request_id);
  });

  it('stays taken whatever happens to the payment', async () => {
    const paid = await pay('rejected', '5');
    await reportIntent(service, scene, paid.body.data.id as string, { status: 'rejected' });
    expect(refusal(await ask('rejected', '5'))).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
  });

  const namesOf = (key: string) => {
    const { connectionId } = scene.connection;
    const paymentId = idFor.paymentOfConnectionKey(connectionId as never, key);
    return { connectionId, merchantId: scene.merchant.merchantId, key, paymentId };
  };
  const context = { requestId: 'test', actor: { kind: 'test', id: 'test' } } as const;
  /** What one surface asks of the other about a key, without the rest of the call. */
  const alone = <Result>(Asked: new (shared: never, by: never) => Command<Result>, key: string) =>
    service.app.get(CommandBus).execute(new Asked(namesOf(key) as never, context as never));

  it('is free for a request again if the call that took it created nothing', async () => {
    await alone(TakeRequestKey, 'died');
    expect((await ask('died', '6', { request_id: 'died-by-name' })).status).toBe(201);
    expect(refusal(await pay('died', '6'))).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    expect(await madeUnder('died')).toEqual([request]);
  });

  it('is not blocked by its own payment, which took the place for its recipient and amount and was never created', async () => {
    const only = { if_duplicate: 'refuse' };
    const { paymentId: requestId, ...names } = namesOf('died-in-place');
    const [{ deviceId }, { agentId }] = [scene.device, scene.agent];
    const asked = { ...names, deviceId, agentId, recipientId: scene.recipient.recipientId, amount: '6.5', requestId };
    await service.app.get(Duplicates).refuseUnlessOnly(asked as never, new Date(), context);
    expect(refusal(await ask('another-order', '6.5', only))).toEqual([409, 'possible_duplicate']);
    expect((await ask('died-in-place', '6.5', only)).status).toBe(201);
  });

  it('makes no payment any more if the request that gave it up was never created', async () => {
    const spent = await spentOf(service, scene, policyId);
    await alone(ForgoAgentPayment, 'given-up');
    const evaluated = call(`${service.url}/v1/automation-policies/evaluate`, {
      headers: scene.headers,
      body: { ...intentInput(scene), ...shared, amount: '7', idempotency_key: 'given-up' },
    });
    for (const answer of [evaluated, pay('given-up', '7')]) {
      expect(refusal(await answer)).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    }
    expect(await spentOf(service, scene, policyId)).toEqual(spent);
    expect((await ask('given-up', '7')).status).toBe(201);
    expect(await madeUnder('given-up')).toEqual([request]);
  });

  it.each([
    ['plainly', {}],
    ['asking not to be doubled', { if_duplicate: 'refuse' }],
  ])('creates one payment from many simultaneous calls, %s', async (how, more) => {
    const rounds = Array.from({ length: 5 }, (_, at) => `crowd-${how}-${at}`);
    const [spent] = await spentOf(service, scene, policyId);
    for (const [at, key] of rounds.entries()) {
      const amount = `0.00${at + 1}${how.length}`;
      // Payments take more steps than requests, so later requests meet payments that are further along.
      const later = async (): Promise<Answer> => {
        await pause(at * 4);
        return ask(key, amount, more);
      };
      const answers = await Promise.all(
        Array.from({ length: crowdOn(pair) }, (_, one) => (one % 2 ? later() : pay(key, amount, more))),
      );
      for (const { status } of answers) expect([200, 201, 409]).toContain(status);
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(await madeUnder(key)).toHaveLength(1);
    }
    // If a request took the key of a payment, that payment's reservation is released.
    const paid = (await eventsOfType(service, payment)).map(({ data }) => data as Paid);
    const sum = paid
      .filter(({ idempotency_key }) => rounds.includes(idempotency_key))
      .reduce((so, { amount }) => addAmounts(so, amount), spent);
    const now = () => spentOf(service, scene, policyId);
    await eventually(now, ([shown]) => shown === sum, `the policy has spent ${sum}`);
  });

  it('creates one of many simultaneous orders for the same thing, whichever surface they use', async () => {
    const only = { if_duplicate: 'refuse' };
    const keys = Array.from({ length: crowdOn(pair) }, (_, at) => `same-${at}`);
    const answers = await Promise.all(keys.map((key, at) => (at % 2 ? pay : ask)(key, '7.25', only)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await madeUnder(...keys)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(refusal(answer)).toEqual([409, 'possible_duplicate']);
      expect(answer.body.error.details.duplicates).toHaveLength(1);
    }
  });

  it('is named in a duplicate warning on the other surface', async () => {
    const only = { if_duplicate: 'refuse' };
    const paid = await pay('dup-1', '8.5', only);
    const { id, created_at } = paid.body.data;
    const refused = await ask('dup-2', '8.50', only);
    expect(refusal(refused)).toEqual([409, 'possible_duplicate']);
    expect(refused.body.error.details).toEqual({
      duplicates: [{ request_id: id, status: 'intent_created', created_at }],
    });
    expect(refusal(await pay('dup-3', '8.5', only))).toEqual([409, 'possible_duplicate']);
    expect((await pay('dup-3', '8.5')).status).toBe(201);
    // A payment that has ended no longer counts as a duplicate.
    await reportIntent(service, scene, id as string, { status: 'rejected' });
    const { body } = await byKey('dup-3');
    await reportIntent(service, scene, body.data.id as string, { status: 'rejected' });
    expect((await ask('dup-2', '8.50', only)).status).toBe(201);
  });

  it('blocks no other order for the same thing if a policy refuses its payment', async () => {
    const only = { if_duplicate: 'refuse' };
    expect(hitl(await pay('too-much', '1000', only))[2]).toContain('single_tx_limit');
    expect((await ask('instead', '1000', only)).status).toBe(201);
  });

  it('finds its payment, for its own merchant only', async () => {
    const paid = await pay('found', '9');
    expect((await byKey('found')).body.data).toEqual(paid.body.data);
    expect(refusal(await byKey('found', ''))).toEqual([404, 'resource_not_found']);
    const own = await pay('of-the-merchant', '9.1', { idempotency_scope: undefined });
    expect([(await byKey('of-the-merchant', '')).body.data.id, (await byKey('of-the-merchant')).body.data.id]).toEqual([
      own.body.data.id,
      own.body.data.id,
    ]);
    expect(refusal(await byKey('of-the-merchant', '?connection_id=con_other'))).toEqual([404, 'resource_not_found']);
    const other = await setAgentPaymentScene(service, dns);
    expect(refusal(await byKey('found', undefined, other))).toEqual([404, 'resource_not_found']);
    expect(refusal(await pay('found', '9', { connection_id: scene.connection.connectionId }, other))[0]).toBe(404);
    const list = (by: AgentPaymentScene, status = '') =>
      call(`${service.url}/v1/agent-payments?connection_id=${scene.connection.connectionId}${status}&limit=2`, {
        headers: by.headers,
      });
    expect((await list(scene)).body.data.agent_payments[0].id).toBe(own.body.data.id);
    expect((await list(scene, '&status=rejected')).body.data.agent_payments[0].status).toBe('rejected');
    expect((await list(other)).body.data).toEqual({ agent_payments: [], next_cursor: null });
  });

  it('is required', async () => {
    const { idempotency_key: _, ...keyless } = { ...shared, idempotency_key: undefined };
    const answer = await createIntent(service, scene, keyless);
    expect(answer.status).toBe(400);
    expect(issuesOf(answer)).toEqual([['required', 'idempotency_key']]);
  });

  it('leaves a log in which an auditor finds nothing wrong', async () => {
    if (pair !== 'embedded') return;
    await service.stop();
    expect(await findingsAfter(service.dataDir, async () => undefined)).toEqual([]);
  });
});
