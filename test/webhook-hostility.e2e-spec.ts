import { CommandBus } from '@nestjs/cqrs';
import fc from 'fast-check';
import { type WebhookDeliveryDocument, webhookDeliveries } from '../projections/webhook-deliveries.projection';
import { webhookEndpoints } from '../projections/webhook-endpoints.projection';
import { webhookLanes } from '../projections/webhook-queues.projection';
import { EVENT_STORE, type EventStore, StoreUnavailable } from '../src/platform/event-store/event-store.port';
import { pause } from '../src/kernel/pause';
import { READ_MODEL_STORE, type ReadModelStore } from '../src/platform/read-model/read-model.port';
import { DeliveryLimits } from '../src/capabilities/webhooks/delivery-limits';
import { ChangeWebhookEndpoint } from '../src/capabilities/webhooks/webhooks.handlers';
import { type DnsResponder } from './support/dns-responder';
import { call } from './support/http';
import { grantFor, type Operator, signIn } from './support/merchant';
import { MovingClock } from './support/moving-clock';
import { outboxOf } from './support/outbox';
import { createPayment, type PaymentScene, reportPayment, setPaymentScene, startPaymentDns } from './support/payments';
import { startTestService, type TestService } from './support/service';
import {
  activeEndpoint,
  answering,
  type Behaviour,
  deliveriesOf,
  startWebhookReceiver,
  type WebhookReceiver,
} from './support/webhook-receiver';
import { type EndpointId, type MerchantId } from '../src/kernel/aggregates';

const DAY = 24 * 3_600_000;
const ATTEMPT_MS = 150;
const HASH = 'ab'.repeat(32);
const LIFECYCLE = ['created', 'signed', 'broadcasted', 'confirmed'].map((name) => `payment_request.${name}`);

/** The events that record the outcome of a delivery. */
const OUTCOMES = ['WebhookDeliveryAttempted', 'WebhookDeliveryOpened', 'WebhookDeliveriesRecorded'];

const MOODS: Readonly<Record<string, Behaviour>> = {
  fine: answering(204),
  broken: answering(500),
  busy: answering(429, { 'retry-after': '3600' }),
  moved: answering(302, { location: '/stolen' }),
  gone: answering(410),
  hangingUp: (_message, request) => void request.socket.resetAndDestroy(),
  halfAnswering: (_message, request, response) => {
    response.writeHead(200, { 'content-length': '10' }).write('half');
    setTimeout(() => request.socket.destroy(), 5);
  },
  // Refuses when it wakes: right after a start the service still has its default timeout, which is longer.
  asleep: (_message, _request, response) => void setTimeout(() => response.writeHead(503).end(), ATTEMPT_MS * 3),
};

describe('webhooks and hostile receivers', () => {
  let clock: MovingClock;
  let service: TestService;
  let dns: DnsResponder;
  let env: Readonly<Record<string, string>>;
  let scene: PaymentScene;
  let receiver: WebhookReceiver;
  let known: Operator;
  let signedInAt: number;

  beforeEach(async () => {
    clock = new MovingClock();
    const payments = await startPaymentDns();
    dns = payments.dns;
    env = { ...payments.env, ALLOW_PRIVATE_NETWORKS: 'true' };
    receiver = await startWebhookReceiver();
    await startAgain();
    scene = await setPaymentScene(service, dns, { clock });
    known = scene.merchant;
    signedInAt = clock.now().getTime();
  });
  afterEach(async () => {
    await service.stopAndForget();
    await dns.close();
    await receiver.close();
  });

  async function startAgain(): Promise<void> {
    const dataDir = (service as TestService | undefined) && scene ? service.dataDir : undefined;
    service = await startTestService({ env, clock, ...(dataDir === undefined ? {} : { dataDir }) });
    service.app.get(DeliveryLimits).attemptMs = ATTEMPT_MS;
  }

  /** Signs in again, because sessions expire over the skipped days. */
  async function operator(): Promise<Operator> {
    if (clock.now().getTime() - signedInAt < 600_000) return known;
    const { email } = scene.merchant;
    const { grant, merchants } = await grantFor(service, email);
    known = await signIn(service, email, { grant, choice: merchants[0]?.choice });
    signedInAt = clock.now().getTime();
    return known;
  }

  /** The endpoint in the read model, which needs no session. */
  const shown = (endpointId: string) =>
    service.app.get<ReadModelStore>(READ_MODEL_STORE).get(webhookEndpoints, endpointId);

  /** Not over HTTP, because notices arrive in the same mailbox as sign-in links. */
  async function switchOn(id: string): Promise<void> {
    const endpointId = id as EndpointId;
    const { version = 0 } = (await shown(endpointId)) ?? {};
    const at = clock.now().toISOString();
    const merchantId = scene.merchant.merchantId as MerchantId;
    const command = { kind: 'change', endpointId, merchantId, version, status: 'active', at } as const;
    const context = { requestId: 'test', actor: { kind: 'test', id: 'test' } };
    await service.app.get(CommandBus).execute(new ChangeWebhookEndpoint(command, context));
  }

  const inThreeWeeks = (): string => new Date(clock.now().getTime() + 21 * DAY).toISOString();

  async function newRequest(): Promise<string> {
    const answer = await createPayment(service, scene, { expires_at: inThreeWeeks() });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body.payment_request.request_id as string;
  }

  async function liveThrough(id: string): Promise<void> {
    for (const body of [
      { status: 'signed' },
      { status: 'broadcasted', transaction_hash: HASH },
      { status: 'confirmed', transaction_hash: HASH },
    ]) {
      expect((await reportPayment(service, scene, id, body)).status).toBe(200);
    }
  }

  /** When the first open delivery of each lane is due; new ones are due at once. */
  async function dueTimes(): Promise<string[]> {
    const times: string[] = [];
    for await (const { document } of service.app.get<ReadModelStore>(READ_MODEL_STORE).dump(webhookDeliveries)) {
      const { opened, status, created_at } = document as WebhookDeliveryDocument;
      if (!opened && status === 'pending') times.push(created_at);
    }
    for await (const { document } of service.app.get<ReadModelStore>(READ_MODEL_STORE).dump(webhookLanes)) {
      const { due_at } = document as unknown as { due_at: string | null };
      if (due_at !== null) times.push(due_at);
    }
    return times;
  }

  /** Waits until everything due was tried or the endpoint was disabled, and returns what is left. */
  async function settled(isOff: () => Promise<boolean>): Promise<string[]> {
    for (let looks = 0; looks < 500; looks += 1) {
      const times = await dueTimes();
      const now = clock.now().toISOString();
      if (times.every((time) => time > now) || (await isOff())) return times;
      await pause(20);
    }
    throw new Error(`due and not sent: ${JSON.stringify(await dueTimes())}\n${service.log().slice(-2000)}`);
  }

  it('get every event, in order per request, each under one id with one body', async () => {
    const moods = fc.array(fc.constantFrom(...Object.keys(MOODS)), { minLength: 30, maxLength: 50 });
    const { endpointId } = await activeEndpoint(service, scene.merchant, receiver.url);
    const acknowledged = new Set<string>();
    const tooEarly: string[] = [];

    await fc.assert(
      fc.asyncProperty(moods, async (planned) => {
        const left = [...planned];
        let happening = true;
        receiver.behave((message, request, response) => {
          const next = left.shift() ?? 'fine';
          // Events while an endpoint is disabled are not sent to it, so nobody answers 410 before all have happened.
          const mood = next === 'gone' && happening ? 'broken' : next;
          const key = (type: string | undefined) => `${String(message.data['request_id'])} ${type}`;
          const before = LIFECYCLE[LIFECYCLE.indexOf(message.type) - 1];
          if (before !== undefined && !acknowledged.has(key(before))) tooEarly.push(key(message.type));
          if (mood === 'fine') acknowledged.add(key(message.type));
          MOODS[mood]?.(message, request, response);
        });
        // The store refuses one record in five: the service then does not know that it sent the message.
        const forget = (): void => {
          const store = service.app.get<EventStore>(EVENT_STORE);
          const append = store.append.bind(store);
          let attempts = 0;
          jest.spyOn(store, 'append').mockImplementation((stream, version, events) => {
            const isAttempt = OUTCOMES.includes(events[0]?.type ?? '');
            if (isAttempt && (attempts += 1) % 5 === 0) return Promise.reject(new StoreUnavailable('hanging'));
            return append(stream, version, events);
          });
        };
        forget();

        const ids = await Promise.all(Array.from({ length: 8 }, newRequest));
        await Promise.all(ids.map(liveThrough));
        happening = false;
        const told = (): boolean => ids.every((id) => LIFECYCLE.every((type) => acknowledged.has(`${id} ${type}`)));
        for (let round = 0; !told(); round += 1) {
          if (round > 100) throw new Error(`still waiting: ${JSON.stringify(await dueTimes())}`);
          const isOff = async (): Promise<boolean> => (await shown(endpointId))?.status === 'disabled';
          const times = await settled(isOff);
          const latest = [...times].sort().at(-1);
          if (latest !== undefined) clock.moveTo(latest);
          if (round % 3 === 2) {
            await service.stop();
            await startAgain();
            forget();
          }
          if (await isOff()) await switchOn(endpointId);
          if (times.length === 0) await pause(20);
        }

        const bodies = new Map<string, string>();
        const firsts = new Map<string, string[]>();
        const done = new Set<string>();
        for (const { id, body, type, data } of receiver.received) {
          expect(bodies.get(id) ?? body).toBe(body);
          bodies.set(id, body);
          const about = data['request_id'] as string;
          const known = firsts.get(about) ?? [];
          if (!known.includes(type)) firsts.set(about, [...known, type]);
          done.add(id);
        }
        expect(tooEarly).toEqual([]);
        for (const id of ids) expect(firsts.get(id)).toEqual(LIFECYCLE);
        expect(done.size).toBe(ids.length * LIFECYCLE.length);
        expect(receiver.received.every(({ path }) => path === '/hook')).toBe(true);
      }),
      { numRuns: 1, endOnFailure: true },
    );
  }, 60_000);

  it('are disabled after five days of failures, are told so, and can catch up', async () => {
    receiver.behave(answering(503));
    const { endpointId } = await activeEndpoint(service, scene.merchant, receiver.url);
    const since = clock.now().toISOString();
    const never = (): Promise<boolean> => Promise.resolve(false);
    const lost = await newRequest();
    await receiver.until(() => receiver.received.length === 1);
    for (let tries = 1; tries < 10; tries += 1) {
      const [next] = await settled(never);
      if (next === undefined) break;
      clock.moveTo(next);
      await receiver.until(() => receiver.received.length === tries + 1);
    }
    expect(await settled(never)).toEqual([]);
    expect(await deliveriesOf(service, await operator())).toMatchObject([{ status: 'failed', attempt_count: 10 }]);

    clock.skip(3 * DAY);
    const late = await newRequest();
    for (;;) {
      if ((await shown(endpointId))?.disabled_reason === 'failing') break;
      await pause(10);
    }
    const told = () => outboxOf(service).some(({ subject }) => subject.includes('switched off'));
    while (!told()) await pause(10);

    receiver.behave(answering(204));
    const { headers } = await operator();
    const url = `${service.url}/v1/webhook-endpoints/${endpointId}`;
    const { version } = (await call(url, { headers })).body.webhook_endpoint as { version: number };
    await call(url, { method: 'PATCH', headers, body: { version, status: 'active' } });
    expect((await call(`${url}/recover`, { headers, body: { since } })).status).toBe(202);
    for (;;) {
      const done = await deliveriesOf(service, { headers }, 'status=succeeded');
      if (done.length === 2) {
        expect(new Set(done.map(({ subject_id }) => subject_id as string))).toEqual(new Set([lost, late]));
        break;
      }
      clock.skip(1000);
      await pause(20);
    }
  });
});
