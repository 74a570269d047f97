import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '../src/kernel/pause';
import { type DnsResponder } from './support/dns-responder';
import { type Answer } from './support/http';
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
import { startTestService, type TestService } from './support/service';

describe('the expiry of a payment request', () => {
  let service: TestService;
  let dns: DnsResponder;
  let env: Readonly<Record<string, string>>;
  let scene: PaymentScene;
  let time = Date.parse('2030-01-01T00:00:00.000Z');
  const clock = { now: () => new Date(time) };
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-expiry-'));

  beforeAll(async () => {
    ({ dns, env } = await startPaymentDns());
    service = await startTestService({ env, clock, dataDir });
    scene = await setPaymentScene(service, dns, { clock });
  });
  afterAll(async () => {
    await service.stop();
    await dns.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const after = (milliseconds: number): string => new Date(time + milliseconds).toISOString();
  const create = async (expires_at = after(60_000)): Promise<string> =>
    (await createPayment(service, scene, { expires_at })).body.payment_request.request_id as string;
  const statusOf = async (id: string): Promise<string> =>
    (await readPayment(service, scene, id)).body.payment_request.status as string;
  const becomes = async (id: string, status: string): Promise<void> => {
    while ((await statusOf(id)) !== status) await pause(20);
  };
  const eventsOf = async (id: string): Promise<string[]> =>
    (
      await eventsOfType(
        service,
        'PaymentRequestCreated',
        'PaymentRequestExpired',
        'PaymentRequestLateReport',
        'PaymentRequestSigned',
      )
    )
      .filter(({ data }) => (data as { request_id: string }).request_id === id)
      .map(({ type }) => type.replace('PaymentRequest', ''));
  const report = (id: string, body: object): Promise<Answer> => reportPayment(service, scene, id, body);

  it('is recorded when it is due, and not before', async () => {
    const [short, long] = [await create(), await create(after(60_001))];
    time += 60_000;
    await becomes(short, 'expired');
    expect(await statusOf(long)).toBe('pending');
    time += 1;
    await becomes(long, 'expired');
    const { body } = await readPayment(service, scene, short);
    expect(body.payment_request).toMatchObject({ status: 'expired', is_final: true, version: 2 });
    const events = (await pollEvents(service, scene)).body.events as { type: string; request_id: string }[];
    expect(events.filter(({ request_id }) => request_id === short)).toEqual([
      expect.objectContaining({ type: 'payment_request.created' }),
      expect.objectContaining({ type: 'payment_request.expired', previous_status: 'pending', data: {} }),
    ]);
  });

  it('is recorded once, even if the service was down when it was due', async () => {
    const ids = [await create(), await create(after(90_000))];
    await service.stop();
    time += 3_600_000;
    service = await startTestService({ env, clock, dataDir });
    for (const id of ids) await becomes(id, 'expired');
    await service.stop();
    service = await startTestService({ env, clock, dataDir });
    const last = await create();
    time += 60_000;
    await becomes(last, 'expired');
    for (const id of ids) expect(await eventsOf(id)).toEqual(['Created', 'Expired']);
  });

  it('does not happen once the request is signed', async () => {
    const [signed, waiting] = [await create(), await create(after(60_001))];
    await report(signed, { status: 'signed' });
    time += 120_000;
    await becomes(waiting, 'expired');
    expect(await statusOf(signed)).toBe('signed');
    const late = await report(signed, { status: 'broadcasted', transaction_hash: 'h' });
    expect([late.status, late.body.payment_request.status]).toEqual([200, 'broadcasted']);
    expect((await report(signed, { status: 'confirmed', transaction_hash: 'h' })).status).toBe(200);
  });

  it('refuses later reports, and records a repeated one once', async () => {
    const id = await create();
    time += 60_000;
    const body = { status: 'broadcasted', transaction_hash: 'late-money', ledger: 7 };
    const answers = await Promise.all(Array.from({ length: 20 }, () => report(id, body)));
    expect(answers.map(refusal)).toEqual(answers.map(() => [409, 'request_expired']));
    expect(answers[0]?.body.error.details).toEqual({
      current_status: 'expired',
      expires_at: clock.now().toISOString(),
    });
    time += 5_000;
    expect(refusal(await report(id, body))).toEqual([409, 'request_expired']);
    expect(refusal(await report(id, { status: 'rejected' }))).toEqual([409, 'request_expired']);
    expect(await eventsOf(id)).toEqual(['Created', 'Expired', 'LateReport', 'LateReport']);
    const [kept] = (await eventsOfType(service, 'PaymentRequestLateReport')).slice(-2);
    expect(kept?.data).toMatchObject({
      request_id: id,
      device_id: scene.device.deviceId,
      reported_status: 'broadcasted',
      transaction_hash: 'late-money',
      ledger: 7,
      reason: null,
    });
    expect(kept?.metadata.actor).toEqual({ kind: 'wallet_device', id: scene.device.deviceId });
    const { payment_request } = (await readPayment(service, scene, id)).body;
    expect(payment_request).toMatchObject({ status: 'expired', version: 4 });
    // When it expired, nothing had been paid.
    expect(payment_request).not.toHaveProperty('transaction_hash');
    const types = (
      (await pollEvents(service, scene, 'limit=200')).body.events as { type: string; request_id: string }[]
    )
      .filter(({ request_id }) => request_id === id)
      .map(({ type }) => type);
    expect(types).toEqual(['payment_request.created', 'payment_request.expired', 'payment_request.late_report']);
  });

  it('is visible only to the owner', async () => {
    const id = await create();
    const stranger = await setPaymentScene(service, dns, { clock });
    time += 60_000;
    expect(refusal(await reportPayment(service, stranger, id, { status: 'signed' }))).toEqual([
      404,
      'resource_not_found',
    ]);
    await becomes(id, 'expired');
    expect(await eventsOf(id)).toEqual(['Created', 'Expired']);
  });

  it('and a signature at the last moment: exactly one of them counts', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => create(after(60_000))));
    time += 59_999;
    const moved = setTimeout(() => (time += 1), 5);
    const answers = await Promise.all(ids.map((id) => report(id, { status: 'signed' })));
    clearTimeout(moved);
    time += 1_000;
    for (const [index, id] of ids.entries()) {
      const inTime = answers[index]?.status === 200;
      await becomes(id, inTime ? 'signed' : 'expired');
      expect(await eventsOf(id)).toEqual(inTime ? ['Created', 'Signed'] : ['Created', 'Expired', 'LateReport']);
    }
  });
});
