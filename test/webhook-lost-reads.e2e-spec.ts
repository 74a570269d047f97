import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { context } from '../src/capabilities/webhooks/delivery-attempts';
import { webhookEndpoint } from '../src/capabilities/webhooks/webhook-endpoint';
import { CommandRunner } from '../src/platform/event-store/run-command';
import { type EndpointId, type MerchantId } from '../src/kernel/aggregates';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { MovingClock } from './support/moving-clock';
import { outboxOf } from './support/outbox';
import { createPayment, eventsOfType, type PaymentScene, setPaymentScene, startPaymentDns } from './support/payments';
import { startTestService, type TestService } from './support/service';
import {
  activeEndpoint,
  answering,
  deliveriesOf,
  startWebhookReceiver,
  type WebhookReceiver,
} from './support/webhook-receiver';
import { type DnsResponder } from './support/dns-responder';

const DAY_MS = 24 * 3_600_000;

describe('webhooks after the reads were lost', () => {
  let dns: DnsResponder;
  let env: Readonly<Record<string, string>>;
  let service: TestService;
  let scene: PaymentScene;
  const receivers: WebhookReceiver[] = [];
  const clock = new MovingClock();

  beforeAll(async () => {
    const started = await startPaymentDns();
    dns = started.dns;
    env = { ...started.env, ALLOW_PRIVATE_NETWORKS: 'true' };
    service = await startTestService({ env, clock });
    scene = await setPaymentScene(service, dns, { clock });
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
    for (const receiver of receivers) await receiver.close();
  });

  /** Each has a host of its own, which the mails name. */
  const newEndpoint = async (): Promise<Readonly<{ endpointId: string; host: string }>> => {
    const receiver = await startWebhookReceiver();
    receivers.push(receiver);
    const { endpointId } = await activeEndpoint(service, scene.merchant, receiver.url);
    return { endpointId, host: new URL(receiver.url).host };
  };
  const switchOff = (endpointId: string) => {
    const own = { endpointId: endpointId as EndpointId, merchantId: scene.merchant.merchantId as MerchantId };
    const command = { kind: 'disable', ...own, reason: 'gone', at: clock.now().toISOString() } as const;
    return service.app.get(CommandRunner).run(webhookEndpoint, own.endpointId, command, context());
  };
  const mailed = (): string[] =>
    outboxOf(service).flatMap(({ subject }) => /endpoint at (\S+) was switched off/.exec(subject)?.[1] ?? []);
  const isMailed = (host: string) =>
    eventually(
      () => Promise.resolve(mailed()),
      (hosts) => hosts.includes(host),
      `the mail about ${host}`,
    );
  /** As after a loss of power, or an upgrade from a version that left no note on how it closed the reads. */
  const restartWithoutReads = async (): Promise<void> => {
    await service.stop();
    rmSync(join(service.dataDir, 'read-model'), { recursive: true });
    service = await startTestService({ env, clock, dataDir: service.dataDir });
  };

  it('are not due because of a recovery that was asked for before they failed', async () => {
    const { headers } = scene.merchant;
    const since = new Date(clock.now().getTime() - DAY_MS).toISOString();
    const recover = ({ endpointId }: Readonly<{ endpointId: string }>) =>
      call(`${service.url}/v1/webhook-endpoints/${endpointId}/recover`, { headers, body: { since } });
    const waiting = ({ endpointId }: Readonly<{ endpointId: string }>) =>
      eventually(
        () => deliveriesOf(service, scene.merchant, `endpoint_id=${endpointId}&status=pending`),
        ([delivery]) => delivery?.['attempt_count'] === 1,
        'a delivery that failed',
      );
    const requeued = async (): Promise<string[]> =>
      (await eventsOfType(service, 'WebhookDeliveryRequeued')).map(
        ({ data }) => (data as { endpoint_id: string }).endpoint_id,
      );
    const [early, late] = [await newEndpoint(), await newEndpoint()];
    expect((await recover(early)).body.count).toBe(0);
    for (const receiver of receivers) receiver.behave(answering(503, { 'retry-after': '3600' }));
    await createPayment(service, scene);
    const [failed] = await waiting(early);
    await waiting(late);

    await restartWithoutReads();
    // Recoveries are carried out in the order of the log.
    expect((await recover(late)).body.count).toBe(1);
    await eventually(requeued, (ids) => ids.includes(late.endpointId), 'the recovery of the other endpoint');
    expect(await requeued()).toEqual([late.endpointId]);
    expect((await waiting(early))[0]).toMatchObject({ next_attempt_at: failed?.['next_attempt_at'] });
  });

  /** Mails go out in the order of the log: once a later one is there, none before it is missing. */
  const laterOneIsMailed = async (later: Readonly<{ endpointId: string; host: string }>): Promise<void> => {
    await switchOff(later.endpointId);
    await isMailed(later.host);
  };
  const timesMailed = (host: string): number => mailed().filter((one) => one === host).length;

  it('mail no notice again that is no longer true or no longer new', async () => {
    const [again, still] = [await newEndpoint(), await newEndpoint()];
    const [later, latest] = [await newEndpoint(), await newEndpoint()];
    for (const { endpointId, host } of [again, still]) {
      await switchOff(endpointId);
      await isMailed(host);
    }
    const path = `${service.url}/v1/webhook-endpoints/${again.endpointId}`;
    const { headers } = scene.merchant;
    const version = (await call(path, { headers })).body.webhook_endpoint.version as number;
    const enabled = await call(path, { method: 'PATCH', headers, body: { version, status: 'active' } });
    expect(enabled.status).toBe(200);

    await restartWithoutReads();
    await laterOneIsMailed(later);
    expect(timesMailed(again.host)).toBe(1);

    const before = timesMailed(still.host);
    clock.skip(2 * DAY_MS);
    await restartWithoutReads();
    await laterOneIsMailed(latest);
    expect([timesMailed(again.host), timesMailed(still.host)]).toEqual([1, before]);
  });
});
