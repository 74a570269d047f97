import { createIntent, readIntent, reportIntent, setAgentPaymentScene } from './support/agent-payments';
import { type ServiceProcess, spawnService } from './support/child';
import { type DnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { type Horizon, type LedgerTransaction, paymentTo, startHorizon } from './support/horizon';
import { describeOnEachPair } from './support/pairs';
import {
  createPayment,
  eventsOfType,
  type PaymentScene,
  pollEvents,
  readPayment,
  reportPayment,
  setPaymentScene,
  startPaymentDns,
} from './support/payments';
import { type TestService } from './support/service';
import { activeEndpoint, startWebhookReceiver } from './support/webhook-receiver';

const PAYEE = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
const AMOUNT = '12.5000000';
let made = 0;
const freshHash = (): string => (made += 1).toString(16).padStart(64, 'c');

type Service = Pick<TestService, 'url' | 'dataDir'>;
type Seen = Readonly<{ status: string; contested: boolean; settlement: Record<string, any> | null }>;

describeOnEachPair('one transfer settles one payment', (start) => {
  let dns: DnsResponder;
  let horizon: Horizon;
  let service: TestService;
  let env: Readonly<Record<string, string>>;
  /** Two merchants with the same payee's address. */
  let scene: PaymentScene;
  let stranger: PaymentScene;

  beforeAll(async () => {
    const prepared = await startPaymentDns();
    dns = prepared.dns;
    horizon = await startHorizon();
    env = { ...prepared.env, ALLOW_PRIVATE_NETWORKS: 'true', SETTLEMENT_WITNESS: `stellar_testnet=${horizon.url}` };
    service = await start({ env });
    scene = await setPaymentScene(service, dns);
    stranger = await setPaymentScene(service, dns);
  });
  afterAll(async () => {
    await service.stopAndForget();
    await horizon.stop();
    await dns.close();
  });

  const asked = async (by: PaymentScene, changes: object = {}, at: Service = service): Promise<string> =>
    (await createPayment(at, by, { ...changes })).body.payment_request.request_id as string;
  async function reported(by: PaymentScene, id: string, status: string, more: object, at: Service = service) {
    const answer = await reportPayment(at, by, id, { status, ...more });
    expect(answer.status).toBe(200);
  }
  /** Names the transaction only when it is confirmed. */
  async function confirmed(by: PaymentScene, id: string, hash: string, at: Service = service): Promise<void> {
    await reported(by, id, 'signed', {}, at);
    await reported(by, id, 'broadcasted', { transaction_hash: hash }, at);
    await reported(by, id, 'confirmed', { transaction_hash: hash }, at);
  }
  const seen = async (by: PaymentScene, id: string, at: Service = service): Promise<Seen> =>
    (await readPayment(at, by, id)).body.payment_request as Seen;
  const judged = (by: PaymentScene, id: string, wanted: (seen: Seen) => boolean = () => true, at: Service = service) =>
    eventually(
      () => seen(by, id, at),
      (found) => (found.settlement?.['ledger'] ?? null) !== null && wanted(found),
      'the finding',
    );
  const close = (hash: string, more: Partial<LedgerTransaction> = {}): void =>
    horizon.close(hash, { operations: [paymentTo(PAYEE, AMOUNT)], ...more });
  /** The ledger closed before anybody named the transaction. */
  const closedBefore = (): string => new Date(Date.now() - 5_000).toISOString().replace(/\.\d+/, '');
  const settles = (id: string | null) => [{ fact: 'already_settles', expected: null, found: id }];

  it('and goes on settling it, found by every hash, whatever is reported late after that', async () => {
    const [paid, junk, before] = [freshHash(), freshHash(), freshHash()];
    const found = async (hash: string): Promise<string[]> => {
      const { headers } = scene.merchant;
      const { body } = await call(`${service.url}/v1/payment-requests?q=${hash}`, { headers });
      return (body.payment_requests as { request_id: string }[]).map(({ request_id }) => request_id);
    };
    const id = await asked(scene);
    const late = async (status: string, transaction_hash: string): Promise<void> =>
      expect((await reportPayment(service, scene, id, { status, transaction_hash })).status).toBe(409);
    close(paid, { closedAt: closedBefore() });
    await reported(scene, id, 'signed', {});
    await reported(scene, id, 'broadcasted', { transaction_hash: before });
    await reported(scene, id, 'failed', { reason: 'lost' });
    await late('confirmed', paid);
    expect((await judged(scene, id)).settlement).toMatchObject({ verdict: 'matches', ledger_hash: paid });
    await late('broadcasted', junk);
    expect(await seen(scene, id)).toMatchObject({
      settlement: { verdict: 'matches', ledger_hash: paid },
      late: { status: 'confirmed', transaction_hash: paid },
    });
    for (const hash of [before, paid, junk]) expect(await found(hash)).toEqual([id]);
    expect(await found(freshHash())).toEqual([]);
  });

  it('whichever of its hashes they name: the outer and the inner one', async () => {
    const [inner, outer] = [freshHash(), freshHash()];
    const [first, second] = [await asked(scene), await asked(scene)];
    close(inner, { outerHash: outer, closedAt: closedBefore() });
    await confirmed(scene, first, outer);
    expect(await judged(scene, first)).toMatchObject({ status: 'confirmed', settlement: { verdict: 'matches' } });
    await confirmed(scene, second, inner);
    const lost = await judged(scene, second);
    expect(lost.settlement).toEqual({
      verdict: 'differs',
      differences: settles(first),
      ledger: 1234,
      ledger_hash: outer,
      operation: null,
      transfer: null,
      announced: false,
      binding: 'none',
      observed_at: expect.stringMatching(/Z$/),
      witness: new URL(horizon.url).host,
    });
    const won = await judged(scene, first, ({ contested }) => contested);
    expect(won.settlement).toMatchObject({ verdict: 'matches', ledger_hash: outer, operation: 0, transfer: 0 });
    expect(lost).toMatchObject({ status: 'confirmed', contested: true });
  });

  it('and none that was asked for after it', async () => {
    const hash = freshHash();
    close(hash, { closedAt: '2021-05-04T12:00:00Z' });
    const id = await asked(scene);
    await confirmed(scene, id, hash);
    expect(await judged(scene, id)).toMatchObject({
      contested: false,
      settlement: {
        verdict: 'differs',
        differences: [{ fact: 'time', expected: expect.any(String), found: '2021-05-04T12:00:00Z' }],
      },
    });
  });

  it('whoever named it first, though another tenant confirms it before', async () => {
    const hash = freshHash();
    const honest = await asked(scene);
    await reported(scene, honest, 'signed', { transaction_hash: hash });
    const copied = await asked(stranger);
    close(hash, { closedAt: closedBefore() });
    await confirmed(stranger, copied, hash);
    // Both named it after the ledger had closed: the first report counts.
    const first = await judged(stranger, copied);
    expect(first.settlement).toMatchObject({ verdict: 'differs', differences: settles(null), announced: false });
    expect(await judged(scene, honest)).toMatchObject({
      status: 'signed',
      settlement: { verdict: 'matches', announced: false },
    });
  });

  it('an announced one, and a stranger’s copy holds up nobody', async () => {
    const hash = freshHash();
    const copied = await asked(stranger);
    const honest = await asked(scene);
    await reported(scene, honest, 'signed', { transaction_hash: hash });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const closedAt = new Date(Date.now() - 1_000).toISOString().replace(/\.\d+/, '');
    close(hash, { closedAt });
    await confirmed(stranger, copied, hash);
    expect(await judged(stranger, copied)).toMatchObject({
      contested: false,
      settlement: { verdict: 'differs', differences: settles(null), operation: null, announced: false },
    });
    await reported(scene, honest, 'broadcasted', { transaction_hash: hash });
    await reported(scene, honest, 'confirmed', { transaction_hash: hash });
    expect(await judged(scene, honest)).toMatchObject({
      status: 'confirmed',
      contested: false,
      settlement: { verdict: 'matches', announced: true, binding: 'none', operation: 0 },
    });
  });

  it('is contested where two announced it, and told in feed and webhook', async () => {
    const receiver = await startWebhookReceiver();
    await activeEndpoint(service, scene.merchant, receiver.url, { events: ['payment_request.settlement_observed'] });
    const hash = freshHash();
    const ids = [await asked(scene), await asked(scene)];
    for (const id of ids) await reported(scene, id, 'signed', { transaction_hash: hash });
    close(hash);
    for (const id of ids) {
      await reported(scene, id, 'broadcasted', { transaction_hash: hash });
      await reported(scene, id, 'confirmed', { transaction_hash: hash });
    }
    const [won, lost] = await Promise.all(ids.map((id) => judged(scene, id, ({ contested }) => contested)));
    expect(won?.settlement).toMatchObject({ verdict: 'matches', announced: true });
    expect(lost?.settlement).toMatchObject({ verdict: 'differs', differences: settles(ids[0] ?? '') });
    const found = await eventually(
      async () =>
        ((await pollEvents(service, scene, 'since=0&limit=200')).body.events as Record<string, any>[]).filter(
          ({ type, request_id }) => type === 'payment_request.settlement_observed' && ids.includes(request_id),
        ),
      ({ length }) => length === 2,
      'both findings in the feed',
    );
    // Who loses is told first.
    expect(found.map(({ request_id, data }) => [request_id, data.contested])).toEqual([
      [ids[1], true],
      [ids[0], true],
    ]);
    expect(Object.keys(found[0]?.['data'].settlement)).not.toContain('envelope');
    await receiver.until(() => receiver.received.length === 2);
    for (const { data } of receiver.received) {
      expect(data['data']).toMatchObject({ contested: true, settlement: { ledger_hash: hash } });
      expect(data['payment_request']).toMatchObject({ contested: true });
      expect(JSON.stringify(data)).not.toContain('envelope');
    }
    await receiver.close();
  });

  it('of several transfers each the next one, over both surfaces', async () => {
    const project = await setAgentPaymentScene(service, dns);
    const hash = freshHash();
    const { body } = await createIntent(service, project);
    const { id: payment, amount } = body.data as { id: string; amount: string };
    const request = await asked(scene, { payment: { amount } });
    const third = await asked(scene, { payment: { amount } });
    close(hash, {
      closedAt: closedBefore(),
      operations: [paymentTo(PAYEE, amount), paymentTo(PAYEE, '1.0000000'), paymentTo(PAYEE, amount)],
    });
    await confirmed(scene, request, hash);
    await judged(scene, request);
    for (const status of ['signed', 'broadcasted', 'confirmed']) {
      const report = { status, ...(status === 'signed' ? {} : { transaction_hash: hash }) };
      expect((await reportIntent(service, project, payment, report)).status).toBe(200);
    }
    const settled = await eventually(
      async () => (await readIntent(service, project, payment)).body.data as Seen,
      ({ settlement }) => settlement !== null,
      'the agent payment’s finding',
    );
    expect(settled).toMatchObject({ contested: false, settlement: { verdict: 'matches', operation: 2 } });
    expect(await seen(scene, request)).toMatchObject({
      contested: false,
      settlement: { verdict: 'matches', operation: 0 },
    });
    await confirmed(scene, third, hash);
    expect(await judged(scene, third)).toMatchObject({
      contested: true,
      settlement: { verdict: 'differs', differences: settles(request) },
    });
    await judged(scene, request, ({ contested }) => contested);
  });

  const EQUAL = 100;

  async function expectOneWinner(ids: readonly string[], hash: string): Promise<void> {
    const all = await eventually(
      () => Promise.all(ids.map((id) => seen(scene, id))),
      (found) => found.every(({ settlement, contested }) => typeof settlement?.['ledger'] === 'number' && contested),
      'every finding',
    );
    const verdicts = all.map(({ settlement }) => settlement?.['verdict'] as string);
    expect(verdicts.filter((verdict) => verdict === 'matches')).toHaveLength(1);
    const winner = ids[verdicts.indexOf('matches')] ?? '';
    for (const { settlement } of all) {
      if (settlement?.['verdict'] === 'differs') expect(settlement['differences']).toEqual(settles(winner));
    }
    const taken = await eventsOfType(service, 'SettlementTransferTaken');
    const ofIt = taken.filter(({ data }) => (data as { ledger_hash: string }).ledger_hash === hash);
    expect(ofIt.map(({ data }) => (data as { payment: object }).payment)).toEqual([
      { kind: 'payment_request', id: winner },
    ]);
  }

  it(`of ${EQUAL} at once exactly one, and the network is asked a few times only`, async () => {
    const hash = freshHash();
    close(hash, { closedAt: closedBefore() });
    const ids = await Promise.all(Array.from({ length: EQUAL }, () => asked(scene)));
    await Promise.all(ids.map((id) => confirmed(scene, id, hash)));
    await expectOneWinner(ids, hash);
    expect(horizon.asked.filter((path) => path === `/transactions/${hash}`).length).toBeLessThan(EQUAL / 2);
  }, 120_000);

  it(`of ${EQUAL} at once exactly one, though the process is killed while it judges`, async () => {
    const hash = freshHash();
    const ids = await Promise.all(Array.from({ length: EQUAL }, () => asked(scene)));
    const { PORT: _any, ...settings } = service.settings;
    const { dataDir } = service;
    await service.stop();
    const spawned = async (): Promise<ServiceProcess> => spawnService({ ...settings, LOG_LEVEL: 'silent' });
    let running = await spawned();
    const at = { url: running.url, dataDir };
    await Promise.all(ids.map((id) => confirmed(scene, id, hash, at)));
    close(hash, { closedAt: closedBefore() });
    // Each time at another moment after the first finding.
    for (const later of [0, 60, 150]) {
      await eventually(
        async () =>
          (await Promise.all(ids.slice(0, 5).map((id) => seen(scene, id, { url: running.url, dataDir })))).some(
            ({ settlement }) => typeof settlement?.['ledger'] === 'number',
          ),
        Boolean,
        'a first finding',
      );
      await new Promise((resolve) => setTimeout(resolve, later));
      running.child.kill('SIGKILL');
      await running.ended;
      running = await spawned();
    }
    running.child.kill('SIGKILL');
    await running.ended;
    service = await start({ env, dataDir });
    await expectOneWinner(ids, hash);
  }, 180_000);
});
