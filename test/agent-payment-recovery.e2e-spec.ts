import { join } from 'node:path';
import { type AgentPaymentCreated } from '../src/events/agent-payment.events';
import { openEmbeddedEventStore } from '../src/platform/event-store/embedded/open-embedded-event-store';
import { encodeEvent } from '../src/platform/event-store/event-codec';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { WarmBudgets } from '../src/capabilities/agent-payments/warm-budgets';
import { type DomainEvent } from '../src/kernel/decider';
import { newId } from '../src/kernel/ids';
import { pause } from '../src/kernel/pause';
import {
  type AgentPaymentScene,
  createActivePolicy,
  createIntent,
  hitl,
  readIntent,
  reportIntent,
  setAgentPaymentScene,
  spentOf,
} from './support/agent-payments';
import { mustBe } from './support/connections';
import { type DnsResponder } from './support/dns-responder';
import { refusal, startPaymentDns } from './support/payments';
import { startTestService, type TestService } from './support/service';
import { type PaymentId } from '../src/kernel/aggregates';

const HASH = 'ab'.repeat(32);
const LONG_PAST = 1_200;

/** How payments end, in the order of the log, with what else each event says. */
const OUTCOMES = [
  ['AgentPaymentRejected', { reason: null }],
  ['AgentPaymentFailed', { reason: 'no funds' }],
  ['AgentPaymentExpired', {}],
  ['AgentPaymentConfirmed', { transaction_hash: HASH, ledger: 7 }],
] as const;

/** The service completes what crashes and expiry leave open, once. */
describe('agent payments, without any caller', () => {
  let now = Date.parse('2030-01-01T00:00:00Z');
  const clock = { now: () => new Date(now) };
  let service: TestService;
  let dns: DnsResponder;
  let env: Readonly<Record<string, string>>;
  let scene: AgentPaymentScene;

  beforeAll(async () => {
    ({ dns, env } = await startPaymentDns());
    service = await startTestService({ env, clock });
    scene = await setAgentPaymentScene(service, dns, { clock });
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
  });

  const eventually = async (condition: () => Promise<boolean>): Promise<void> => {
    while (!(await condition())) await pause(20);
  };
  const eventsOf = (stream: string): Promise<readonly RecordedEvent[]> =>
    service.app.get<EventStore>(EVENT_STORE).readStream(stream);
  const typesOf = async (stream: string): Promise<string[]> => (await eventsOf(stream)).map(({ type }) => type);

  /** Stops the service, writes to its log, and starts another on the same directory. */
  async function meanwhile(write: (store: EventStore) => Promise<void>): Promise<void> {
    await service.stop();
    const store = await openEmbeddedEventStore(join(service.dataDir, 'events'));
    await write(store);
    await store.close();
    service = await startTestService({ env, clock, dataDir: service.dataDir });
  }
  const append = async (store: EventStore, stream: string, ...events: DomainEvent[]): Promise<void> => {
    const version = (await store.readStream(stream)).length;
    const context = { requestId: 'req_crashed', actor: { kind: 'api_key', id: scene.apiKeyId } };
    const at = clock.now().toISOString();
    const encoded = events.map((event) => encodeEvent(event, context, at));
    await store.append(stream, version, encoded);
  };

  /** A payment as a call would create it, modelled on an existing one. */
  async function paymentLike(id: string, changes: Partial<AgentPaymentCreated['data']>) {
    const [created] = await eventsOf(`agent_payment-${id}`);
    return { ...(created?.data as AgentPaymentCreated['data']), ...changes };
  }
  const reservedFor = (payment: AgentPaymentCreated['data']): DomainEvent => ({
    type: 'AmountReserved',
    data: {
      policy_id: payment.policy_id,
      merchant_id: payment.merchant_id,
      payment_id: payment.payment_id,
      reservation_id: payment.reservation_id,
      amount: payment.amount,
      payment,
      reserved_at: payment.created_at,
    },
  });

  it('expire, release their amount, and record what is reported too late', async () => {
    const policyId = await createActivePolicy(service, scene, { cumulative_limit: '10' });
    const alone = { initiator: 'agent', amount: '10', policy_id: policyId };
    const { body } = mustBe(201, await createIntent(service, scene, alone));
    const id = body.data.id as string;
    now += 15 * 60_000 - 1;
    expect(hitl(await createIntent(service, scene, alone))[2]).toEqual(['cumulative_limit']);
    now += 1;
    await eventually(async () => (await readIntent(service, scene, id)).body.data.status === 'expired');
    await eventually(async () => (await spentOf(service, scene, policyId))[0] === '0');
    const late = await reportIntent(service, scene, id, { status: 'broadcasted', transaction_hash: HASH });
    expect(refusal(late)).toEqual([409, 'request_expired']);
    expect(await typesOf(`agent_payment-${id}`)).toEqual([
      'AgentPaymentCreated',
      'AgentPaymentExpired',
      'AgentPaymentLateReport',
    ]);
    // The money has moved: it counts after all.
    expect(await spentOf(service, scene, policyId)).toEqual(['10', '0']);
  });

  it('leave a record of what an agent was refused, and why', async () => {
    const policyId = await createActivePolicy(service, scene, { allowlist: [scene.recipient.recipientId] });
    const tooMuch = { initiator: 'agent', amount: '101', policy_id: policyId };
    for (let round = 0; round < 2; round += 1) {
      await createIntent(service, scene, tooMuch, { 'idempotency-key': 'too-much' });
    }
    const store = service.app.get<EventStore>(EVENT_STORE);
    const all = await store.readAll(0n, 10_000);
    const refused = all.filter(
      ({ type, data }) => type === 'AgentPaymentRefused' && 'amount' in data && data.amount === '101',
    );
    expect(refused.map(({ data }) => data)).toEqual([
      expect.objectContaining({
        merchant_id: scene.merchant.merchantId,
        policy_id: policyId,
        recipient_id: scene.recipient.recipientId,
        triggered_thresholds: ['single_tx_limit', 'cumulative_limit'],
      }),
    ]);
  });

  it('are completed after a crash: created once, or released if they could not be used', async () => {
    const policyId = await createActivePolicy(service, scene);
    const alone = { initiator: 'agent', amount: '1', policy_id: policyId };
    const { body } = mustBe(201, await createIntent(service, scene, alone, { 'idempotency-key': 'before' }));
    const made = body.data.id as PaymentId;
    const ended: string[] = [];
    for (const amount of ['2', '0.3', '0.2', '0.1']) {
      ended.push((await createIntent(service, scene, { ...alone, amount })).body.data.id as string);
    }
    const unmade = newId('ap');
    const other = { payment_id: unmade, reservation_id: newId('rsv'), idempotency_key: null };
    const begun = await paymentLike(made, { ...other, amount: '7' });
    const again = await paymentLike(made, { reservation_id: newId('rsv') });
    const payments = await Promise.all(ended.map((id) => paymentLike(id, {})));
    const policy = `automation_policy-${policyId}`;
    await meanwhile(async (store) => {
      // The process died after the reservation and before the payment.
      await append(store, policy, reservedFor(begun));
      // A call that repeated the key of an existing payment died before it noticed.
      await append(store, policy, reservedFor({ ...again, payment_id: made }));
      // The process died after the end of each payment and before its amount was released or settled.
      for (const [index, [type, more]] of OUTCOMES.entries()) {
        const { payment_id, merchant_id, connection_id, device_id, policy_id, reservation_id, expires_at } =
          payments[index] ?? begun;
        const names = { payment_id, merchant_id, connection_id, policy_id, reservation_id };
        const isExpired = type === 'AgentPaymentExpired';
        const at = isExpired ? expires_at : clock.now().toISOString();
        const by = { ...names, ...(isExpired ? {} : { device_id }), at };
        // Before it can be confirmed, it was signed and broadcasted.
        const steps: DomainEvent[] =
          type === 'AgentPaymentConfirmed'
            ? [
                { type: 'AgentPaymentSigned', data: { ...by, previous_status: 'intent_created' } },
                { type: 'AgentPaymentBroadcasted', data: { ...by, previous_status: 'signed', ...more } },
              ]
            : [];
        const previous_status = steps.length > 0 ? 'broadcasted' : 'intent_created';
        await append(store, `agent_payment-${payment_id}`, ...steps, {
          type,
          data: { ...by, previous_status, ...more },
        });
      }
    });
    await eventually(async () => (await readIntent(service, scene, unmade)).status === 200);
    await eventually(async () => (await typesOf(policy)).includes('AmountSettled'));
    await eventually(async () => (await spentOf(service, scene, policyId))[0] === '8.1');
    expect((await readIntent(service, scene, unmade)).body.data).toMatchObject({
      status: 'intent_created',
      amount: '7',
      policy_id: policyId,
    });
    const closings = (await eventsOf(policy)).filter(({ type }) => type === 'AmountReleased').map(({ data }) => data);
    expect(closings).toEqual([
      expect.objectContaining({ payment_id: made, reason: 'not_used' }),
      expect.objectContaining({ payment_id: ended[0], reason: 'rejected' }),
      expect.objectContaining({ payment_id: ended[1], reason: 'failed' }),
      expect.objectContaining({ payment_id: ended[2], reason: 'expired' }),
    ]);

    // Nothing happens twice, however often the service starts.
    await meanwhile(() => Promise.resolve());
    expect((await createIntent(service, scene, alone, { 'idempotency-key': 'before' })).status).toBe(200);
    expect(await typesOf(`agent_payment-${unmade}`)).toEqual(['AgentPaymentCreated']);
    expect(await spentOf(service, scene, policyId)).toEqual(['8.1', '91.9']);
  });

  it('have the budget of a policy with a long history available soon after a start', async () => {
    const policyId = await createActivePolicy(service, scene, { cumulative_limit: '100000' });
    const alone = { initiator: 'agent', amount: '1', policy_id: policyId };
    const { body } = mustBe(201, await createIntent(service, scene, alone));
    const like = await paymentLike(body.data.id as string, {});
    const stream = `automation_policy-${policyId}`;
    const past = Array.from({ length: LONG_PAST }, () =>
      reservedFor({ ...like, payment_id: newId('ap'), reservation_id: newId('rsv') }),
    );
    await meanwhile((store) => append(store, stream, ...past));
    await eventually(async () => (await spentOf(service, scene, policyId))[0] === `${LONG_PAST + 1}`);
    await meanwhile(() => Promise.resolve());
    await service.app.get(WarmBudgets).settled();
    const reading = jest.spyOn(service.app.get<EventStore>(EVENT_STORE), 'readStream');
    expect((await createIntent(service, scene, alone)).status).toBe(201);
    const readAfter = reading.mock.calls.filter(([name]) => name === stream).map(([, after]) => after ?? 0);
    reading.mockRestore();
    expect(readAfter.length).toBeGreaterThan(0);
    expect(Math.min(...readAfter)).toBeGreaterThan(LONG_PAST);
    expect(await spentOf(service, scene, policyId)).toEqual([`${LONG_PAST + 2}`, `${100_000 - LONG_PAST - 2}`]);
  });
});
