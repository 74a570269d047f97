import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { EVENT_STORE, type EventStore } from '../../src/event-store/event-store.port';
import { CommandRunner } from '../../src/event-store/run-command';
import { encodeEvent } from '../../src/event-store/event-codec';
import { derivedId, newId } from '../../src/kernel/ids';
import { newWebhookSecret, WebhookSecrets } from '../../src/webhooks/signing';
import { type WebhookDeliveryEvent } from '../../src/webhooks/webhook-delivery.events';
import { webhookEndpoint } from '../../src/webhooks/webhook-endpoint';
import { startTestService, type TestService } from '../support/service';

const context = { requestId: 'bench', actor: { kind: 'bench', id: 'bench' } };
const BODY = JSON.stringify({ type: 'payment_request.created', timestamp: '', data: { filler: 'x'.repeat(1200) } });

export type Rate = Readonly<{ perSecond: number }>;
export type DeadAmongMany = Readonly<{ healthy: number; seconds: number; perSecond: number; deadAttempts: number }>;

/** Answers 204 and counts; what comes under /dead is never answered. */
async function startCounter(): Promise<Readonly<{ port: number; alive(): number; dead(): number; close(): void }>> {
  let alive = 0;
  let dead = 0;
  const server: Server = createServer((incoming, response) => {
    incoming.resume();
    if (incoming.url === '/dead') return void (dead += 1);
    incoming.on('end', () => {
      alive += 1;
      response.writeHead(204).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, alive: () => alive, dead: () => dead, close };
}

/** The floor: the same body posted over kept connections, eight at a time, with nothing recorded. */
export async function barePostRate(posts = 3_000, connections = 8): Promise<Rate> {
  const counter = await startCounter();
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const post = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const outgoing = request({ agent, host: '127.0.0.1', port: counter.port, method: 'POST', path: '/' }, (answer) =>
        answer.resume().on('end', resolve),
      );
      outgoing.on('error', reject).end(BODY);
    });
  let left = posts;
  const worker = async (): Promise<void> => {
    while ((left -= 1) >= 0) await post();
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: connections }, worker));
  const perSecond = (posts / (performance.now() - started)) * 1000;
  agent.destroy();
  counter.close();
  return { perSecond };
}

/** Deliveries from the log to a receiver: scheduled, projected, sent, recorded. */
export async function deliveryRate(deliveries = 3_000, endpoints = 8): Promise<Rate> {
  return withService(async (service, counter) => {
    const ids = await Promise.all(
      Array.from({ length: endpoints }, () => openEndpoint(service, `http://127.0.0.1:${counter.port}/`)),
    );
    const started = performance.now();
    await schedule(service, deliveries, (index) => ids[index % ids.length] ?? '');
    await until(() => counter.alive() >= deliveries);
    return { perSecond: (deliveries / (performance.now() - started)) * 1000 };
  });
}

/** One endpoint that never answers among many that do, each with the same work: the healthy ones must not notice. */
export async function deadAmongMany(endpoints = 100, each = 20): Promise<DeadAmongMany> {
  return withService(async (service, counter) => {
    const urls = Array.from({ length: endpoints }, (_, index) => (index === 0 ? 'dead' : ''));
    const ids = await Promise.all(
      urls.map((path) => openEndpoint(service, `http://127.0.0.1:${counter.port}/${path}`)),
    );
    const healthy = (endpoints - 1) * each;
    const started = performance.now();
    await schedule(service, endpoints * each, (index) => ids[index % ids.length] ?? '');
    await until(() => counter.alive() >= healthy);
    const seconds = (performance.now() - started) / 1000;
    return { healthy, seconds, perSecond: healthy / seconds, deadAttempts: counter.dead() };
  });
}

type Counter = Awaited<ReturnType<typeof startCounter>>;

async function withService<T>(work: (service: TestService, counter: Counter) => Promise<T>): Promise<T> {
  const counter = await startCounter();
  const service = await startTestService({ env: { ALLOW_PRIVATE_NETWORKS: 'true', LOG_LEVEL: 'silent' } });
  try {
    return await work(service, counter);
  } finally {
    counter.close();
    await service.stopAndForget();
  }
}

async function openEndpoint({ app }: TestService, url: string): Promise<string> {
  const commands = app.get(CommandRunner);
  const endpointId = newId('whe');
  const own = { endpointId, merchantId: 'mer_bench', url, at: new Date().toISOString() };
  const secretSealed = app.get(WebhookSecrets).sealed(endpointId, newWebhookSecret());
  const create = { kind: 'create', ...own, events: null, description: null, secretSealed } as const;
  await commands.run(webhookEndpoint, endpointId, create, context);
  await commands.run(webhookEndpoint, endpointId, { kind: 'confirm', ...own }, context);
  return endpointId;
}

/** Every delivery in a lane of its own, as events of different payment requests are. */
async function schedule({ app }: TestService, count: number, endpointOf: (index: number) => string): Promise<void> {
  const store = app.get<EventStore>(EVENT_STORE);
  const at = new Date().toISOString();
  const append = async (index: number): Promise<void> => {
    const endpoint_id = endpointOf(index);
    const event_id = newId('evt');
    const delivery_id = derivedId('whd', endpoint_id, event_id);
    const ids = { delivery_id, endpoint_id, merchant_id: 'mer_bench', lane: `${endpoint_id}:${event_id}`, event_id };
    const event: WebhookDeliveryEvent = {
      type: 'WebhookDeliveryScheduled',
      data: {
        ...ids,
        event_type: 'payment_request.created',
        subject_id: event_id,
        sequence: 1,
        body: BODY,
        due_at: at,
        scheduled_at: at,
      },
    };
    await store.append(`webhook_delivery-${delivery_id}`, 0, [encodeEvent(event, context, at)]);
  };
  for (let from = 0; from < count; from += 200) {
    const size = Math.min(200, count - from);
    await Promise.all(Array.from({ length: size }, (_, index) => append(from + index)));
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
