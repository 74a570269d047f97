import { newId } from '../src/kernel/ids';
import { mustBe } from './support/connections';
import { registerDevice } from './support/devices';
import { call } from './support/http';
import { createPayment, type PaymentScene } from './support/payments';
import { recipientsOf } from './support/recipients';
import { TESTNET_FACTS } from './support/agents';
import { findingsAfter } from './support/seeded-log';
import { type TestService } from './support/service';
import { useScene } from './support/use-service';

const HOUR_MS = 3_600_000;

function changesIn(service: TestService, scene: PaymentScene) {
  const request = async (recipientVersionId: string): Promise<void> => {
    const recipient = { ...scene.recipient, recipientVersionId };
    mustBe(201, await createPayment(service, { ...scene, recipient }));
  };
  const setConnection = async (status: 'active' | 'paused'): Promise<void> => {
    const url = `${service.url}/v1/connections/${scene.connection.connectionId}`;
    mustBe(200, await call(url, { method: 'PATCH', headers: scene.device.headers, body: { status } }));
  };
  const activateNewVersion = async (): Promise<string> => {
    const { addVersion, verify, activate, evidenceIn, read } = recipientsOf(service, scene.merchant);
    const id = scene.recipient.recipientId;
    const { version } = (await read(id)).body.recipient as { version: number };
    const { body } = mustBe(201, await addVersion(id, { ...TESTNET_FACTS, memo: 'new', version }));
    const versionId = body.recipient_version.recipient_version_id as string;
    const added = { id, versionId, version: body.recipient.version as number };
    mustBe(200, await activate(added, evidenceIn(mustBe(200, await verify(added)))));
    return versionId;
  };
  return { request, setConnection, activateNewVersion };
}

describe('verify, where the clock was set back by an hour', () => {
  let time = Date.parse('2030-01-01T00:00:00.000Z');
  const { service, scene } = useScene({ clock: { now: () => new Date(time) } });

  const { request, setConnection, activateNewVersion } = changesIn(service, scene);

  beforeAll(async () => {
    time += 3 * HOUR_MS;
    await setConnection('paused');
    time += HOUR_MS;
    await setConnection('active');
    await request(scene.recipient.recipientVersionId);
    const versionId = await activateNewVersion();
    time -= HOUR_MS / 2;
    await request(versionId);
    await setConnection('paused');
    await registerDevice(service);
    await service.stop();
  });

  it('finds nothing wrong with requests and changes that bear an earlier time than what came before them', async () => {
    expect(await findingsAfter(service.dataDir, async () => undefined)).toEqual([]);
  });

  it('finds a request over a connection that had been revoked while the clock was ahead', async () => {
    const found = await findingsAfter(service.dataDir, async ({ one, add }) => {
      const [ahead, mended] = [HOUR_MS, 0].map((off) => new Date(time + off).toISOString());
      const { stream, data } = one<object>('ConnectionPaused');
      await add(stream, 'ConnectionRevoked', { ...data, revoked_at: ahead, reason: 'wallet' }, ahead);
      const request_id = newId('pr');
      const made = { ...one<object>('PaymentRequestCreated').data, request_id, idempotency_key: null };
      await add(`payment_request-${request_id}`, 'PaymentRequestCreated', { ...made, created_at: mended }, mended);
      const device_id = newId('dev');
      const later = { ...one<object>('WalletDeviceRegistered').data, device_id };
      await add(`wallet_device-${device_id}`, 'WalletDeviceRegistered', later, mended);
    });
    expect(found).toEqual([['live-connection', expect.stringMatching(/^payment_request-pr_/)]]);
  });
});

describe('verify, where the clock went to and fro by 45 seconds', () => {
  let time = Date.parse('2030-01-01T00:00:00.000Z');
  const { service, scene } = useScene({ clock: { now: () => new Date((time += 100)) } });
  const { request, setConnection, activateNewVersion } = changesIn(service, scene);

  beforeAll(() => void (time += HOUR_MS));

  it('finds nothing wrong, although each event stands alone with its time', async () => {
    let versionId: string = scene.recipient.recipientVersionId;
    const ahead = (): void => void (time += 45_000);
    const back = (): void => void (time -= 45_000);
    for (const [before, after] of [
      [ahead, back],
      [back, ahead],
    ] as const) {
      for (const change of [
        async () => void (versionId = await activateNewVersion()),
        () => setConnection('paused').then(() => setConnection('active')),
      ]) {
        before();
        await change();
        after();
        await request(versionId);
        before();
        await request(versionId);
        after();
        await change();
        await request(versionId);
      }
    }
    await service.stop();
    expect(await findingsAfter(service.dataDir, async () => undefined)).toEqual([]);
  });
});
