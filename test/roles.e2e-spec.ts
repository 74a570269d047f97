import { mustBe } from './support/connections';
import { registerDevice } from './support/devices';
import { type DnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { type Instance, Instances, isReady, leads } from './support/instances';
import { describeWithMongo } from './support/mongodb';
import { createPayment, type PaymentScene, readPayment, setPaymentScene, startPaymentDns } from './support/payments';
import { secretHere } from './support/secret-command';
import { activeEndpoint, startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver';

const secret = (letter: string): string => `only-for-tests-${letter.repeat(40)}`;

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
    instances = await Instances.open(mongoUrl, {
      ...env,
      ALLOW_PRIVATE_NETWORKS: 'true',
      SERVICE_SECRET: secret('a'),
    });
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
    expect(await leads(api)).toBe(false);
    // One that stood still for a moment leads again with its next renewal.
    await eventually(() => leads(worker), Boolean, 'that the worker leads');
  });

  it('the one for background work serves only health and metrics', async () => {
    const statuses = async (...paths: readonly string[]): Promise<readonly number[]> =>
      Promise.all(paths.map(async (path) => (await fetch(`${worker.url}${path}`, { redirect: 'manual' })).status));
    await eventually(() => isReady(worker), Boolean, 'that the worker is ready');
    expect(await statuses('/health', '/metrics')).toEqual([200, 200]);
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

  it('prevent a rotation of the service secret by the one, and end the other after it', async () => {
    const device = await registerDevice(api);
    const rotate = () => secretHere({ ...instances.settings, NEW_SERVICE_SECRET: secret('b') }, ['rotate']);
    const refused = await rotate();
    expect([refused.code, refused.notes]).toEqual([3, expect.stringContaining('stop it first')]);
    await instances.stop(worker, 'SIGTERM');
    expect(await rotate()).toMatchObject({ code: 0, notes: '' });

    const next = await instances.add({ SERVICE_SECRET: secret('b') });
    // Checked one after another, so that an instance that keeps running is stopped at the end of this suite.
    const codes: (number | null)[] = [];
    void api.ended.then((code) => codes.push(code));
    const hasEnded = (ended: readonly unknown[]): boolean => ended.length > 0;
    expect(await eventually(async () => codes, hasEnded, 'the end of the instance with the old secret')).toEqual([1]);
    expect(api.output()).toContain('SERVICE_SECRET was replaced by another; start with the new one');
    const { status } = await call(`${next.url}/v1/wallet-devices/${device.deviceId}`, { headers: device.headers });
    expect(status).toBe(200);
  }, 120_000);
});
