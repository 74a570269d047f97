import { MerchantFeed } from '../src/capabilities/webhooks/merchant-feed';
import { StoreUnavailable } from '../src/platform/event-store/event-store.port';
import { pause } from '../src/kernel/pause';
import { type DnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { type Answer, call } from './support/http';
import { createPayment, type PaymentScene, setPaymentScene, startPaymentDns } from './support/payments';
import { startTestService, type TestService } from './support/service';
import {
  type ActiveEndpoint,
  activeEndpoint,
  startWebhookReceiver,
  type WebhookReceiver,
} from './support/webhook-receiver';

describe('a rewind that is interrupted', () => {
  let service: TestService;
  let dns: DnsResponder;
  let scene: PaymentScene;
  let receiver: WebhookReceiver;
  let endpoint: ActiveEndpoint;
  let newest: number;
  let feed: MerchantFeed;

  beforeAll(async () => {
    const { dns: responder, env } = await startPaymentDns();
    dns = responder;
    receiver = await startWebhookReceiver();
    service = await startTestService({ env: { ...env, ALLOW_PRIVATE_NETWORKS: 'true' } });
    feed = service.app.get(MerchantFeed);
    scene = await setPaymentScene(service, dns);
    endpoint = await activeEndpoint(service, scene.merchant, receiver.url);
    for (let number = 0; number < 5; number += 1) await createPayment(service, scene);
    await receiver.until(() => receiver.received.length === 5);
    newest = (await call(`${service.url}/v1/events`, { headers: scene.merchant.headers })).body.newest_cursor as number;
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
    await receiver.close();
  });

  const path = (rest: string): string => `${service.url}/v1/webhook-endpoints/${endpoint.endpointId}${rest}`;
  const rewind = (body: object) => call(path('/rewind'), { headers: scene.merchant.headers, body });
  const read = (id: string) => call(path(`/rewinds/${id}`), { headers: scene.merchant.headers });
  const idOf = ({ body }: Answer): string => body.rewind.rewind_id as string;
  const becomes = (id: string, status: string) =>
    eventually(
      async () => (await read(id)).body.rewind,
      (seen) => seen.status === status,
      `a rewind ${status}`,
    );
  const cursorsSince = (from: number): number[] =>
    receiver.received.slice(from).map(({ headers: sent }) => Number(sent['webhook-cursor']));

  it('is done only when its last message was sent, even if our own store was unavailable at that moment', async () => {
    const from = receiver.received.length;
    const message = feed.message.bind(feed);
    let failed = 0;
    jest.spyOn(feed, 'message').mockImplementation(async (entry) => {
      if ((entry as { cursor?: number }).cursor === newest && failed === 0) {
        failed += 1;
        throw new StoreUnavailable('unknown');
      }
      return message(entry);
    });
    await becomes(idOf(await rewind({ from_cursor: 0 })), 'done');
    await pause(3_000);
    expect(failed).toBe(1);
    expect(cursorsSince(from)).toEqual(Array.from({ length: newest }, (_, index) => index + 1));
  });

  /** Reading a page takes a moment, as over a network. */
  const slowPages = (): void => {
    const entries = feed.entries.bind(feed);
    jest.spyOn(feed, 'entries').mockImplementation(async (...asked) => {
      await pause(100);
      return entries(...asked);
    });
  };

  it('is sent, even if another was requested while its first page was read', async () => {
    slowPages();
    const first = idOf(await rewind({ from_cursor: 0 }));
    const second = idOf(await rewind({ from_cursor: newest - 1 }));
    await becomes(first, 'done');
    await becomes(second, 'done');
    expect((await read(first)).body.rewind.status).toBe('done');
  });
});
