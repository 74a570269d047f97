import { EVENT_STORE, type EventStore, LOG_START } from '../src/platform/event-store/event-store.port';
import { type DnsResponder } from './support/dns-responder';
import { figure } from './support/figures';
import { createPayment, type PaymentScene, setPaymentScene, startPaymentDns } from './support/payments';
import { startTestService, type TestService } from './support/service';
import { activeEndpoint, startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver';

const ENDPOINTS = 3;

describe('the log', () => {
  let service: TestService;
  let dns: DnsResponder;
  let scene: PaymentScene;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    const started = await startPaymentDns();
    dns = started.dns;
    receiver = await startWebhookReceiver();
    service = await startTestService({ env: { ...started.env, ALLOW_PRIVATE_NETWORKS: 'true' } });
    scene = await setPaymentScene(service, dns);
    for (let made = 0; made < ENDPOINTS; made += 1) await activeEndpoint(service, scene.merchant, receiver.url);
  }, 60_000);
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
    await receiver.close();
  });

  /** The bytes of all events, by stream category. */
  async function sizes(): Promise<Readonly<Record<string, number>>> {
    const store = service.app.get<EventStore>(EVENT_STORE);
    const found: Record<string, number> = {};
    for (let position = LOG_START; ;) {
      const page = await store.readAll(position, 500);
      const last = page.at(-1);
      if (last === undefined) return found;
      for (const { stream, data } of page) {
        const category = stream.slice(0, stream.indexOf('-'));
        found[category] = (found[category] ?? 0) + JSON.stringify(data).length;
      }
      position = last.position;
    }
  }

  it('grows by a bounded amount for each delivery of a large request', async () => {
    const before = await sizes();
    expect((await createPayment(service, scene, { metadata: { note: 'x'.repeat(60_000) } })).status).toBe(201);
    await receiver.until(
      () => receiver.received.filter(({ type }) => type === 'payment_request.created').length === ENDPOINTS,
    );
    const after = await sizes();
    const grown = (category: string): number => (after[category] ?? 0) - (before[category] ?? 0);
    const request = grown('payment_request');
    const each = Math.round(grown('webhook_delivery') / ENDPOINTS);
    process.stdout.write(`${JSON.stringify({ row: 'growth of the log', bytes: { request, eachDelivery: each } })}\n`);
    figure({ promise: 'growth of the log for each delivery', tried: ENDPOINTS, lost: 0, doubled: 0 });
    expect(request).toBeGreaterThan(60_000);
    expect(each).toBeLessThan(2 * request);
  }, 60_000);
});
