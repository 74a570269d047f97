import { type DnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import {
  createPayment,
  type PaymentScene,
  refusal,
  reportPayment,
  setPaymentScene,
  startPaymentDns,
} from './support/payments';
import { type TestService } from './support/service';

describeOnEachPair('the timeline of a payment request', (start) => {
  let service: TestService;
  let dns: DnsResponder;
  let scene: PaymentScene;
  let now = Date.parse('2030-01-01T00:00:00.000Z');

  beforeAll(async () => {
    const { dns: responder, env } = await startPaymentDns();
    dns = responder;
    const clock = { now: () => new Date(now) };
    service = await start({ env, clock });
    scene = await setPaymentScene(service, dns, { clock });
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
  });

  const ask = async (): Promise<string> => (await createPayment(service, scene)).body.payment_request.request_id;
  const lifeOf = (id: string, { headers }: Pick<PaymentScene, 'headers'>) =>
    call(`${service.url}/v1/payment-requests/${id}/timeline`, { headers });

  it('shows each party the steps in order, with who, by which credential and on what evidence', async () => {
    const id = await ask();
    const transaction_hash = 'ef'.repeat(32);
    await reportPayment(service, scene, id, { status: 'signed' });
    await reportPayment(service, scene, id, { status: 'broadcasted', transaction_hash });
    await reportPayment(service, scene, id, { status: 'confirmed', transaction_hash, ledger: 7 });
    for (const party of [scene, scene.device, scene.merchant]) {
      const { status, body } = await lifeOf(id, party);
      expect(status).toBe(200);
      expect(body.timeline.map((one: any) => [one.version, one.type, one.status, one.previous_status])).toEqual([
        [1, 'payment_request.created', 'pending', null],
        [2, 'payment_request.signed', 'signed', 'pending'],
        [3, 'payment_request.broadcasted', 'broadcasted', 'signed'],
        [4, 'payment_request.confirmed', 'confirmed', 'broadcasted'],
      ]);
      const [created, signed, , confirmed] = body.timeline;
      expect(created).toMatchObject({
        actor: { kind: 'connection', name: 'Checkout agent' },
        credential: { kind: 'connection_token' },
        evidence: { evidence_digest: expect.stringMatching(/^sha256:/), domain: scene.merchant.domain },
      });
      expect(signed).toMatchObject({
        actor: { kind: 'wallet_device', name: 'Wallet' },
        credential: { kind: 'device_token' },
        evidence: null,
      });
      expect(confirmed).toMatchObject({ evidence: { transaction_hash, ledger: 7 }, summary: expect.any(String) });
      const text = JSON.stringify(body);
      expect(text).not.toMatch(/intent_digest|token_hash/);
      expect(text.includes(scene.device.deviceId)).toBe(party === scene.device);
    }
  });

  it('includes what was refused and what came too late', async () => {
    const rejected = await ask();
    await reportPayment(service, scene, rejected, { status: 'rejected', reason: 'too dear' });
    const refused = (await lifeOf(rejected, scene)).body.timeline.at(-1);
    expect(refused).toMatchObject({ status: 'rejected', data: { reason: 'too dear' } });
    const late = await ask();
    now += 16 * 60_000;
    await reportPayment(service, scene, late, { status: 'signed' });
    for (const party of [scene, scene.device, scene.merchant]) {
      const timeline: any[] = await eventually(
        async () => (await lifeOf(late, party)).body.timeline,
        (found) => found.length === 3,
        'the late report',
      );
      expect(timeline.map(({ type }) => type)).toEqual([
        'payment_request.created',
        'payment_request.expired',
        'payment_request.late_report',
      ]);
      expect(timeline[2]).toMatchObject({ data: { reported_status: 'signed' } });
      expect(timeline[2]).not.toHaveProperty('status');
    }
  });

  it('is not available to anybody else', async () => {
    const id = await ask();
    const stranger = await setPaymentScene(service, dns, { clock: { now: () => new Date(now) } });
    for (const party of [stranger, stranger.device, stranger.merchant]) {
      expect(refusal(await lifeOf(id, party))).toEqual([404, 'resource_not_found']);
    }
  });
});
