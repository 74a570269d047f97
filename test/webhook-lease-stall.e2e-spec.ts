import { type ServerResponse } from 'node:http';
import { pause } from '../src/kernel/pause';
import { LEASE_VALID_MS } from '../src/platform/reacting/lease-loop';
import { type BreakableStores, openBreakableStores } from './support/breakable-stores';
import { type DnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { describeWithMongo } from './support/mongodb';
import { createPayment, type PaymentScene, setPaymentScene, startPaymentDns } from './support/payments';
import { startTestService, type TestService } from './support/service';
import {
  activeEndpoint,
  answering,
  deliveriesOf,
  startWebhookReceiver,
  type WebhookReceiver,
} from './support/webhook-receiver';

const MESSAGES = 3;

describeWithMongo('sending webhooks while the store of the lease stalls', (mongoUrl) => {
  let dns: DnsResponder;
  let stores: BreakableStores;
  let service: TestService;
  let scene: PaymentScene;
  let receiver: WebhookReceiver;
  const undo: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const { dns: responder, env } = await startPaymentDns();
    dns = responder;
    undo.push(() => dns.close());
    stores = await openBreakableStores(mongoUrl);
    undo.push(() => stores.close());
    service = await startTestService({ env: { ...env, ...stores.env, ALLOW_PRIVATE_NETWORKS: 'true' } });
    undo.push(() => service.stopAndForget());
    scene = await setPaymentScene(service, dns);
    receiver = await startWebhookReceiver();
    undo.push(() => receiver.close());
  }, 120_000);
  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  }, 60_000);

  /** Messages are in flight when the stall begins, and answered during it. */
  async function answeredInAStall(status: number) {
    const { endpointId } = await activeEndpoint(service, scene.merchant, `${receiver.url}/${status}`);
    const waiting: ServerResponse[] = [];
    receiver.behave((_message, _request, response) => void waiting.push(response));
    for (let index = 0; index < MESSAGES; index += 1) expect((await createPayment(service, scene)).status).toBe(201);
    const told = (): readonly string[] =>
      receiver.received.filter(({ path }) => path === `/hook/${status}`).map(({ id }) => id);
    await receiver.until(() => told().length === MESSAGES);

    stores.readStore.pause();
    await pause(LEASE_VALID_MS + 500);
    for (const response of waiting) response.writeHead(status).end();
    receiver.behave(answering(204));
    await pause(500);
    stores.readStore.resume();

    const recorded = await eventually(
      () => deliveriesOf(service, scene.merchant, `endpoint_id=${endpointId}`),
      (found) => found.length === MESSAGES && found.every(({ attempt_count }) => Number(attempt_count) > 0),
      'that each is recorded',
    );
    return { told, recorded };
  }

  it('records what the receiver accepted meanwhile, and does not send it again', async () => {
    const { told, recorded } = await answeredInAStall(204);
    expect(recorded.map((delivery) => delivery['status'])).toEqual(Array(MESSAGES).fill('succeeded'));
    // The next message is sent; by then anything put back would have been sent again.
    expect((await createPayment(service, scene)).status).toBe(201);
    await receiver.until(() => told().length > MESSAGES);
    await pause(1_500);
    expect(told()).toHaveLength(MESSAGES + 1);
    expect(new Set(told()).size).toBe(MESSAGES + 1);
  });

  it('records what the receiver refused meanwhile, and retries it when it is due', async () => {
    const { recorded } = await answeredInAStall(500);
    const first = recorded.map((delivery) => (delivery['attempts'] as { status_code: number }[])[0]?.status_code);
    expect(first).toEqual(Array(MESSAGES).fill(500));
  });
});
