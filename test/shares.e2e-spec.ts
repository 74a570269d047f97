import { newId } from '../src/kernel/ids';
import { type DnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { type Instance, Instances } from './support/instances';
import { describeWithMongo } from './support/mongodb';
import { createPayment, type PaymentScene, setPaymentScene, startPaymentDns } from './support/payments';
import { activeEndpoint, startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver';

const ENDPOINTS = 10;
const PARTITIONS = 32;
const LONG = 120_000;

describeWithMongo('sending webhooks, shared among instances', (mongoUrl) => {
  let dns: DnsResponder;
  let instances: Instances;
  let scene: PaymentScene;
  let receiver: WebhookReceiver;
  const paths = Array.from({ length: ENDPOINTS }, (_, index) => `/hook/${index}`);

  beforeAll(async () => {
    const { dns: responder, env } = await startPaymentDns();
    dns = responder;
    instances = await Instances.open(mongoUrl, { ...env, ALLOW_PRIVATE_NETWORKS: 'true' });
    const first = await instances.add();
    scene = await setPaymentScene(first, dns);
    receiver = await startWebhookReceiver();
    for (const path of paths) await activeEndpoint(first, scene.merchant, new URL(path, receiver.url).href);
  }, LONG);
  afterAll(async () => {
    await instances.close();
    await receiver.close();
    await dns.close();
  }, LONG);

  const figure = async ({ url }: Instance, name: string): Promise<number> => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  };
  const figures = (name: string): Promise<readonly number[]> =>
    Promise.all(instances.awake.map((instance) => figure(instance, name)));
  const dealtOut = (): Promise<readonly number[]> =>
    eventually(
      () => figures('svc_webhook_partitions'),
      (held) => held.every((count) => count > 0) && held.reduce((sum, count) => sum + count, 0) === PARTITIONS,
      'that each has its share',
    );
  const created: string[] = [];
  const publish = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      // One that was created although its answer got lost is found again under its key.
      const key = { 'idempotency-key': newId('req') };
      const { status, body } = await instances.insist((instance) => createPayment(instance, scene, {}, key));
      expect([200, 201]).toContain(status);
      created.push(body.payment_request.request_id as string);
    }
  };
  /** How often each endpoint received each payment request. */
  const tellings = (): ReadonlyMap<string, number> => {
    const told = new Map<string, number>();
    for (const { path, data } of receiver.received) {
      const key = `${path} ${String(data['payment_request']?.request_id)}`;
      told.set(key, (told.get(key) ?? 0) + 1);
    }
    return told;
  };
  const missing = (): readonly string[] => {
    const told = tellings();
    return paths.flatMap((path) => created.map((id) => `${path} ${id}`)).filter((key) => !told.has(key));
  };
  /** Without a cause: what an instance had in flight that stood still is sent again. */
  const twice = (): readonly string[] =>
    instances.robbed > 0 ? [] : [...tellings()].filter(([, times]) => times > 1).map(([key]) => key);

  it(
    'is done by a single instance, and shared when others join, with nothing lost or sent twice',
    async () => {
      expect(await dealtOut()).toEqual([PARTITIONS]);
      const publishing = publish(6);
      await Promise.all([instances.add(), instances.add()]);
      await publishing;
      await dealtOut();
      await publish(2);
      await receiver.until(() => missing().length === 0);
      expect(twice()).toEqual([]);
      const sent = await eventually(
        () => figures('svc_webhook_attempts_total\\{outcome="succeeded"\\}'),
        (counts) => counts.reduce((sum, count) => sum + count, 0) === receiver.received.length,
        'that all of it is recorded once',
      );
      expect(sent.filter((count) => count > 0).length).toBeGreaterThan(1);
    },
    LONG,
  );

  it(
    'is taken over from an instance that stops gracefully, and nothing is sent twice',
    async () => {
      const publishing = publish(4);
      const [, , last] = instances.awake;
      expect(await instances.stop(last as Instance, 'SIGTERM')).toBe(0);
      await publishing;
      await dealtOut();
      await receiver.until(() => missing().length === 0);
      expect(twice()).toEqual([]);
    },
    LONG,
  );

  it(
    'is taken over from a killed instance, and nothing is lost',
    async () => {
      const publishing = publish(4);
      const [, last] = instances.awake;
      await instances.stop(last as Instance, 'SIGKILL');
      await publishing;
      expect(await dealtOut()).toEqual([PARTITIONS]);
      await receiver.until(() => missing().length === 0);
    },
    LONG,
  );
});
