import { createIntent, readIntent, reportIntent, setAgentPaymentScene } from './support/agent-payments';
import { type DnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { type Horizon, paymentTo, startHorizon } from './support/horizon';
import { type Answer, call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import {
  createPayment,
  eventsOfType,
  type PaymentScene,
  pollEvents,
  readPayment,
  refusal,
  reportPayment,
  setPaymentScene,
  startPaymentDns,
} from './support/payments';
import { type TestService } from './support/service';
import { activeEndpoint, startWebhookReceiver } from './support/webhook-receiver';

const PAYEE = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
let made = 0;
const freshHash = (): string => (made += 1).toString(16).padStart(64, 'e');

describeOnEachPair('the settlement of a payment, with a witness', (start) => {
  let dns: DnsResponder;
  let horizon: Horizon;
  let service: TestService;
  let scene: PaymentScene;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const prepared = await startPaymentDns();
    dns = prepared.dns;
    horizon = await startHorizon();
    env = {
      ...prepared.env,
      ALLOW_PRIVATE_NETWORKS: 'true',
      SETTLEMENT_WITNESS: `stellar_testnet=${horizon.url}/`,
    };
    service = await start({ env });
    scene = await setPaymentScene(service, dns);
  });
  afterAll(async () => {
    await service.stopAndForget();
    await horizon.stop();
    await dns.close();
  });

  async function broadcasted(hash: string): Promise<string> {
    const id = (await createPayment(service, scene)).body.payment_request.request_id as string;
    await reportPayment(service, scene, id, { status: 'signed' });
    await reportPayment(service, scene, id, { status: 'broadcasted', transaction_hash: hash });
    return id;
  }
  async function confirmed(hash: string, more: object = {}): Promise<string> {
    const id = await broadcasted(hash);
    const { status } = await reportPayment(service, scene, id, {
      status: 'confirmed',
      transaction_hash: hash,
      ...more,
    });
    expect(status).toBe(200);
    return id;
  }
  const settlementOf = async (id: string): Promise<Record<string, any> | null> =>
    (await readPayment(service, scene, id)).body.payment_request.settlement;
  const expectVerdict = (id: string, wanted: string) =>
    eventually(
      () => settlementOf(id),
      (seen) => seen?.['verdict'] === wanted,
      `the verdict ${wanted}`,
    );
  async function toldToWallet({ device }: Pick<PaymentScene, 'device'>, id: string): Promise<object[]> {
    const url = `${service.url}/v1/wallet-devices/${device.deviceId}/events?since=0&limit=200`;
    const events = (await call(url, { headers: device.headers })).body.events as Record<string, any>[];
    return events.flatMap(({ type, data: { connection_id: _, request_id, payment_id, ...told } }) =>
      type.endsWith('.settlement_observed') && [request_id, payment_id].includes(id) ? [told] : [],
    );
  }
  /** Nobody waits for what is found in the background, and a feed shows its new length last. */
  const untilToldToWallet = (scene: Pick<PaymentScene, 'device'>, id: string): Promise<object[]> =>
    eventually(
      () => toldToWallet(scene, id),
      ({ length }) => length > 0,
      'the finding in the wallet’s feed',
    );
  const check = (id: string, headers: Readonly<Record<string, string>> = scene.merchant.headers): Promise<Answer> =>
    call(`${service.url}/v1/payment-requests/${id}/settlement-checks`, { method: 'POST', headers });

  it('is null until a wallet confirms', async () => {
    const id = await broadcasted(freshHash());
    expect(await settlementOf(id)).toBeNull();
  });

  it('matches what was requested, and is recorded once in the log, the feed and the webhooks', async () => {
    const receiver = await startWebhookReceiver();
    await activeEndpoint(service, scene.merchant, receiver.url, {
      events: ['payment_request.settlement_observed'],
    });
    const hash = freshHash();
    horizon.close(hash, { operations: [paymentTo(PAYEE, '12.5000000')] });
    const id = await confirmed(hash, { ledger: 1234 });
    const settlement = await expectVerdict(id, 'matches');
    expect(settlement).toEqual({
      verdict: 'matches',
      differences: [],
      ledger: 1234,
      ledger_hash: hash,
      operation: 0,
      transfer: 0,
      announced: expect.any(Boolean),
      binding: 'none',
      observed_at: expect.stringMatching(/Z$/),
      witness: new URL(horizon.url).host,
    });
    expect((await readPayment(service, scene, id)).body.payment_request).toMatchObject({ status: 'confirmed' });

    const entries = await eventually(
      async () =>
        ((await pollEvents(service, scene, 'since=0&limit=200')).body.events as Record<string, any>[]).filter(
          ({ request_id }) => request_id === id,
        ),
      (seen) => seen.at(-1)?.['type'] === 'payment_request.settlement_observed',
      'the finding in the feed',
    );
    expect(entries.at(-1)).toMatchObject({
      type: 'payment_request.settlement_observed',
      status: 'confirmed',
      previous_status: 'confirmed',
      data: { settlement, contested: false },
    });
    await receiver.until(() => receiver.received.length === 1);
    expect(receiver.received[0]).toMatchObject({
      type: 'payment_request.settlement_observed',
      data: { request_id: id, data: { settlement }, payment_request: { settlement } },
    });
    const told = await untilToldToWallet(scene, id);
    expect(told).toEqual([{ status: 'confirmed', transaction_hash: hash, settlement, contested: false }]);
    expect((await check(id)).status).toBe(202);
    await eventually(
      async () => horizon.asked.filter((path) => path === `/transactions/${hash}`).length,
      (looks) => looks === 2,
      'the second look',
    );
    const findings = await eventsOfType(service, 'PaymentRequestSettlementObserved');
    expect(findings.filter(({ data }) => (data as { request_id: string }).request_id === id)).toHaveLength(1);
    await receiver.close();
  });

  it('reports every fact that differs', async () => {
    const hash = freshHash();
    const other = 'GBZXN7PIRZGNMHGA7MUUUF4GWPY5AYPV6LY4UV2GL6VJGIQRXFDNMADI';
    horizon.close(hash, { successful: false, ledger: 9, operations: [paymentTo(other, '12.4000000')] });
    const settlement = await expectVerdict(await confirmed(hash, { ledger: 8 }), 'differs');
    expect(settlement?.['differences']).toEqual([
      { fact: 'successful', expected: true, found: false },
      { fact: 'ledger', expected: 8, found: 9 },
      { fact: 'destination', expected: PAYEE, found: other },
      { fact: 'amount', expected: '12.50', found: '12.4' },
    ]);
  });

  it('is not found, then found when it reaches a ledger', async () => {
    const hash = freshHash();
    const id = await confirmed(hash);
    await expectVerdict(id, 'not_found');
    horizon.close(hash, { operations: [paymentTo(PAYEE, '12.5000000')] });
    await expectVerdict(id, 'matches');
  });

  it('never queries a malformed hash', async () => {
    const name = 'not/a/../hash';
    expect(await expectVerdict(await confirmed(name), 'not_found')).toMatchObject({ ledger: null, differences: [] });
    expect(horizon.asked.join()).not.toContain('hash');
  });

  it('is pending after a useless response, and is retried', async () => {
    const moods: readonly NonNullable<Parameters<Horizon['misbehave']>[1]>[] = [
      // A response about another transaction.
      (_request, response) => void response.end(JSON.stringify({ hash: 'f'.repeat(64), successful: true, ledger: 3 })),
      (_request, response) => void response.writeHead(302, { location: horizon.url }).end(),
      (_request, response) => void response.writeHead(500).end('{}'),
      (_request, response) => void response.end('<html>'),
      (request) => void request.socket.destroy(),
      // An endless response.
      (_request, response) => {
        const chunk = Buffer.alloc(64 * 1024, 'x');
        const write = (): void => {
          while (!response.destroyed && response.write(chunk));
          if (!response.destroyed) response.once('drain', write);
        };
        write();
      },
    ];
    await Promise.all(
      moods.map(async (mood) => {
        const hash = freshHash();
        horizon.misbehave(hash, mood);
        const id = await confirmed(hash);
        await expectVerdict(id, 'pending');
        horizon.close(hash, { operations: [paymentTo(PAYEE, '12.5000000')] });
        horizon.misbehave(hash, undefined);
        await expectVerdict(id, 'matches');
      }),
    );
  });

  it('is not delayed by a slow response about another payment', async () => {
    const slow = freshHash();
    horizon.misbehave(slow, () => undefined);
    const waiting = await confirmed(slow);
    const hash = freshHash();
    horizon.close(hash, { operations: [paymentTo(PAYEE, '12.5000000')] });
    await expectVerdict(await confirmed(hash), 'matches');
    expect(await settlementOf(waiting)).toBeNull();
  });

  it('is looked up again when the merchant asks, a few times a minute', async () => {
    const id = await broadcasted(freshHash());
    for (let taken = 0; taken < 5; taken += 1) expect((await check(id)).status).toBe(202);
    const refused = await check(id);
    expect(refusal(refused)).toEqual([429, 'rate_limited']);
    const wait = refused.headers.get('retry-after');
    expect(Number(wait)).toBeGreaterThan(0);
    // The rate limit for checks of this request, not for the operator's calls, of which many are left.
    const left = ['limit', 'remaining', 'reset'].map((name) => refused.headers.get(`ratelimit-${name}`));
    expect(left).toEqual(['5', '0', wait]);
    await expectVerdict(id, 'not_found');
  });

  it('is not looked up without a transaction, or for another merchant', async () => {
    const id = (await createPayment(service, scene)).body.payment_request.request_id as string;
    expect(refusal(await check(id))).toEqual([409, 'transaction_not_reported']);
    const stranger = await setPaymentScene(service, dns);
    expect(refusal(await check(id, stranger.merchant.headers))).toEqual([404, 'resource_not_found']);
  });

  it('continues after a restart, and records nothing twice', async () => {
    const hash = freshHash();
    const id = await confirmed(hash);
    await expectVerdict(id, 'not_found');
    await service.stop();
    horizon.close(hash, { operations: [paymentTo(PAYEE, '12.5000000')] });
    service = await start({ env, dataDir: service.dataDir });
    await expectVerdict(id, 'matches');
    const findings = await eventsOfType(service, 'PaymentRequestSettlementObserved');
    const verdicts = findings
      .filter(({ data }) => (data as { request_id: string }).request_id === id)
      .map(({ data }) => (data as { settlement: { verdict: string } }).settlement.verdict);
    expect(verdicts).toEqual(['not_found', 'matches']);
  });

  it('is looked up for agent payments too', async () => {
    const project = await setAgentPaymentScene(service, dns);
    const hash = freshHash();
    const { body } = await createIntent(service, project);
    const { id, amount } = body.data as { id: string; amount: string };
    expect(body.data.settlement).toBeNull();
    horizon.close(hash, { operations: [paymentTo(PAYEE, amount)] });
    for (const report of [
      { status: 'signed' },
      { status: 'broadcasted', transaction_hash: hash },
      { status: 'confirmed', transaction_hash: hash },
    ]) {
      expect((await reportIntent(service, project, id, report)).status).toBe(200);
    }
    const settlement = await eventually(
      async () => (await readIntent(service, project, id)).body.data.settlement,
      (seen) => seen?.verdict === 'matches',
      'the agent payment’s verdict',
    );
    const told = await untilToldToWallet(project, id);
    expect(told).toEqual([{ status: 'confirmed', transaction_hash: hash, settlement, contested: false }]);
  });
});

describeOnEachPair('the settlement of a payment, without a witness', (start) => {
  it('is null, and a check says why', async () => {
    const { dns, env } = await startPaymentDns();
    const service = await start({ env });
    const scene = await setPaymentScene(service, dns);
    const id = (await createPayment(service, scene)).body.payment_request.request_id as string;
    await reportPayment(service, scene, id, { status: 'signed' });
    const hash = freshHash();
    await reportPayment(service, scene, id, { status: 'broadcasted', transaction_hash: hash });
    await reportPayment(service, scene, id, { status: 'confirmed', transaction_hash: hash });
    expect((await readPayment(service, scene, id)).body.payment_request.settlement).toBeNull();
    const headers = scene.merchant.headers;
    const answer = await call(`${service.url}/v1/payment-requests/${id}/settlement-checks`, {
      method: 'POST',
      headers,
    });
    expect(refusal(answer)).toEqual([409, 'settlement_not_witnessed']);
    await service.stopAndForget();
    await dns.close();
  });
});
