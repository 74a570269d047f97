import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { newId } from '../../src/kernel/ids';
import { Projector } from '../../src/platform/projecting/projector';
import { WebhookDispatcher } from '../../src/capabilities/webhooks/webhook-dispatcher';
import { startTestService, type TestService } from '../support/service';
import { openEndpoint, scheduleDeliveries } from '../support/webhook-deliveries';
import { median, repeated, swcArguments, withServer } from './load';
import { type EndpointId } from '../../src/kernel/aggregates';

const BODY = JSON.stringify({ type: 'payment_request.created', timestamp: '', data: { filler: 'x'.repeat(1200) } });
const HEADERS = {
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(BODY),
  'user-agent': 'svc-webhooks/1',
  'webhook-id': newId('whd'),
  'webhook-timestamp': '1700000000',
  'webhook-signature': `v1,${'a'.repeat(44)}`,
};
const RECEIVER = [...swcArguments, join(__dirname, 'servers', 'webhook-receiver.ts')];

/** Per second. */
export type WebhookRates = Readonly<{
  /** Posts over one keep-alive connection, one after another. */
  loop: number;
  /** Eight such loops at once. */
  loops: number;
  /** Posts by fetch, one after another. */
  fetched: number;
  /** From scheduling to the recorded outcome. */
  deliveries: number;
  /** The dispatcher's part: deliveries that were scheduled before. */
  fromBacklog: number;
}>;
export type DeadAmongMany = Readonly<{ healthy: number; besideDead: number }>;

/** A bare loop and the service post to the same receiver, in its own process, in turns. */
export const webhookRates = (deliveries = 4_000, rounds = 3): Promise<WebhookRates> =>
  withServer(RECEIVER, {}, (url) =>
    withService(async (service) => {
      const endpoints = await openEndpoints(service, 8, `${url}/`);
      await barePosts(url, 8);
      await deliver(service, endpoints, 3_000);
      const found: WebhookRates[] = [];
      for (let round = 0; round < rounds; round += 1) {
        found.push({
          loop: await barePosts(url, 1),
          loops: await barePosts(url, 8),
          fetched: await fetchedPosts(url),
          deliveries: await deliver(service, endpoints, deliveries),
          fromBacklog: await drain(service, endpoints, deliveries),
        });
      }
      return {
        loop: median(found.map(({ loop }) => loop)),
        loops: median(found.map(({ loops }) => loops)),
        fetched: median(found.map(({ fetched }) => fetched)),
        deliveries: median(found.map((one) => one.deliveries)),
        fromBacklog: median(found.map(({ fromBacklog }) => fromBacklog)),
      };
    }),
  );

/** The same work for 99 endpoints, next to one more that answers and next to one that never does, in turns. */
export const deadAmongMany = (each = 20, rounds = 3): Promise<DeadAmongMany> =>
  withServer(RECEIVER, {}, (url) =>
    withService(async (service) => {
      const healthy = await openEndpoints(service, 100, `${url}/`);
      const [dead = 'whe_none' as const] = await openEndpoints(service, 1, `${url}/dead`);
      await deliver(service, healthy, healthy.length * each);
      const found: DeadAmongMany[] = [];
      const rest = healthy.slice(1);
      for (let round = 0; round < rounds; round += 1) {
        found.push({
          healthy: await deliver(service, rest, rest.length * each, healthy[0]),
          besideDead: await deliver(service, rest, rest.length * each, dead),
        });
      }
      return {
        healthy: median(found.map((one) => one.healthy)),
        besideDead: median(found.map(({ besideDead }) => besideDead)),
      };
    }),
  );

/** The floor: the same message posted over keep-alive connections, with nothing looked up, signed or recorded. */
async function barePosts(url: string, connections: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const post = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const outgoing = request(url, { agent, method: 'POST', headers: HEADERS }, (answer) =>
        answer.resume().on('end', resolve),
      );
      outgoing.on('error', reject).end(BODY);
    });
  const rate = await repeated(post, connections);
  agent.destroy();
  return rate;
}

function fetchedPosts(url: string): Promise<number> {
  const { 'content-length': _, ...headers } = HEADERS;
  return repeated(async () => void (await (await fetch(url, { method: 'POST', headers, body: BODY })).text()), 1);
}

/** How fast the dispatcher sends and records what was scheduled and projected before it started. */
async function drain(service: TestService, endpoints: readonly EndpointId[], deliveries: number): Promise<number> {
  const dispatcher = service.app.get(WebhookDispatcher);
  await dispatcher.stop();
  const scheduled = seen(service, 'WebhookDeliveryScheduled', deliveries);
  await scheduleDeliveries(
    service,
    deliveries,
    (index) => endpoints[index % endpoints.length] ?? 'whe_none',
    () => BODY,
  );
  await scheduled;
  const recorded = seen(service, 'WebhookDeliveryAttempted', deliveries);
  const started = performance.now();
  await dispatcher.start();
  await recorded;
  return deliveries / ((performance.now() - started) / 1000);
}

/** Resolves when reads show `count` more of these events, ignoring those of the endpoint `but`. */
function seen({ app }: TestService, wanted: string, count: number, but?: string): Promise<void> {
  let left = count;
  return new Promise((resolve) => {
    app.get(Projector).onApplied((events) => {
      for (const { type, data } of events) {
        if (type === wanted && (data as { endpoint_id: string }).endpoint_id !== but) left -= 1;
      }
      if (left <= 0) resolve();
    });
  });
}

/** Deliveries per second: appended, projected, signed, sent, recorded. `also` gets its share on top. */
async function deliver(
  service: TestService,
  endpoints: readonly EndpointId[],
  deliveries: number,
  also?: EndpointId,
): Promise<number> {
  const done = seen(service, 'WebhookDeliveryAttempted', deliveries, also);
  const receivers = also === undefined ? endpoints : [...endpoints, also];
  const all = (deliveries / endpoints.length) * receivers.length;
  const started = performance.now();
  await scheduleDeliveries(
    service,
    all,
    (index) => receivers[index % receivers.length] ?? 'whe_none',
    () => BODY,
  );
  await done;
  return deliveries / ((performance.now() - started) / 1000);
}

async function withService<T>(work: (service: TestService) => Promise<T>): Promise<T> {
  const service = await startTestService({ env: { ALLOW_PRIVATE_NETWORKS: 'true', LOG_LEVEL: 'silent' } });
  try {
    return await work(service);
  } finally {
    await service.stopAndForget();
  }
}

const openEndpoints = (service: TestService, count: number, url: string): Promise<EndpointId[]> =>
  Promise.all(Array.from({ length: count }, async () => (await openEndpoint(service, url)).endpointId));
