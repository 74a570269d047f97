import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, spawnService } from './support/child';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { createPayment, type PaymentScene, setPaymentScene, startPaymentDns } from './support/payments';
import { startTestService } from './support/service';

const REQUESTS = 60;

describe('a service that is killed while it withdraws what an ended connection asked for', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-withdrawal-kills-'));
  let scene: PaymentScene;
  let running: ServiceProcess;

  const start = (): Promise<ServiceProcess> => spawnService({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
  const kill = async (): Promise<void> => {
    running.child.kill('SIGKILL');
    await running.ended;
  };

  beforeAll(async () => {
    const { dns, env } = await startPaymentDns();
    const service = await startTestService({ env, dataDir });
    scene = await setPaymentScene(service, dns);
    await service.stop();
    await dns.close();
    running = await start();
  }, 60_000);
  afterAll(async () => {
    await kill();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('goes on after the restart until nothing waits, and withdraws each request once', async () => {
    for (let made = 0; made < REQUESTS; made += 1) await createPayment(running, scene);
    const waiting = async (): Promise<number> => {
      const url = `${running.url}/v1/payment-requests?status=pending&limit=200`;
      return (await call(url, { headers: scene.device.headers })).body.payment_requests.length as number;
    };
    expect(await waiting()).toBe(REQUESTS);
    const url = `${running.url}/v1/connections/${scene.connection.connectionId}`;
    expect((await call(url, { method: 'DELETE', headers: scene.device.headers })).status).toBe(200);
    await kill();
    running = await start();
    await eventually(waiting, (left) => left === 0, 'the withdrawals after the restart');
    const feed = `${running.url}/v1/wallet-devices/${scene.device.deviceId}/events?since=0&limit=200`;
    const { events } = (await call(feed, { headers: scene.device.headers })).body;
    const withdrawn = events.filter(({ type }: any) => type === 'payment_request.failed');
    expect(withdrawn).toHaveLength(REQUESTS);
    expect(new Set(withdrawn.map(({ data }: any) => data.request_id)).size).toBe(REQUESTS);
  }, 60_000);
});
