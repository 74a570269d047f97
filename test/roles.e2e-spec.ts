import { mustBe } from './support/connections';
import { type DnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { type Instance, Instances, isReady, leads } from './support/instances';
import { describeWithMongo } from './support/mongodb';
import { createPayment, type PaymentScene, readPayment, setPaymentScene, startPaymentDns } from './support/payments';
import { activeEndpoint, startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver';

describeWithMongo('one instance for requests and one for background work', (mongoUrl) => {
  let dns: DnsResponder;
  let instances: Instances;
  let worker: Instance;
  let api: Instance;
  let scene: PaymentScene;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    const { dns: responder, env } = await startPaymentDns();
    dns = responder;
    instances = await Instances.open(mongoUrl, { ...env, ALLOW_PRIVATE_NETWORKS: 'true' });
    worker = await instances.add({ ROLE: 'worker' });
    api = await instances.add({ ROLE: 'api' });
    scene = await setPaymentScene(api, dns);
    receiver = await startWebhookReceiver();
    await activeEndpoint(api, scene.merchant, receiver.url);
  }, 120_000);
  afterAll(async () => {
    await instances.close();
    await receiver.close();
    await dns.close();
  }, 60_000);

  const create = async (): Promise<string> =>
    mustBe(201, await createPayment(api, scene)).body.payment_request.request_id as string;
  const told = (id: string): boolean =>
    receiver.received.some(({ data }) => data['payment_request']?.request_id === id);

  it('each do their own part: one answers, the other sends', async () => {
    const id = await create();
    expect((await readPayment(api, scene, id)).status).toBe(200);
    await receiver.until(() => told(id));
    expect([await leads(api), await leads(worker)]).toEqual([false, true]);
  });

  it('the one for background work serves only health and metrics', async () => {
    const statuses = async (...paths: readonly string[]): Promise<readonly number[]> =>
      Promise.all(paths.map(async (path) => (await fetch(`${worker.url}${path}`, { redirect: 'manual' })).status));
    expect(await statuses('/health', '/health/ready', '/metrics')).toEqual([200, 200, 200]);
    expect(await statuses('/', '/docs', '/openapi.json', '/v1/networks', '/portal/')).toEqual([
      404, 404, 404, 404, 404,
    ]);
    expect((await createPayment(worker, scene)).status).toBe(404);
  });

  it('the one for requests never takes over the background work, and is not ready while nobody does it', async () => {
    await instances.stop(worker, 'SIGKILL');
    await eventually(
      () => isReady(api),
      (ready) => !ready,
      'that nobody is found to lead',
    );
    expect(await leads(api)).toBe(false);
    worker = await instances.add({ ROLE: 'worker' });
    await eventually(
      () => isReady(api),
      (ready) => ready,
      'that the new one is found to lead',
    );
    const id = await create();
    await receiver.until(() => told(id));
  });
});
