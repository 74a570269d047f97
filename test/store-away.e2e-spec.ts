import { LOG_START } from '../src/platform/event-store/event-store.port';
import { newId } from '../src/kernel/ids';
import { pause } from '../src/kernel/pause';
import { type BreakableStores, FAULTS, openBreakableStores } from './support/breakable-stores';
import { spawnService } from './support/child';
import { deliveryFigures } from './support/delivery-witness';
import { eventually } from './support/eventually';
import { type DnsResponder } from './support/dns-responder';
import { figure, sizeFrom, timeLimit } from './support/figures';
import { type Answer, call } from './support/http';
import { describeWithMongo } from './support/mongodb';
import { createPayment, type PaymentScene, readPayment, setPaymentScene, startPaymentDns } from './support/payments';
import { startTestService, type TestService } from './support/service';
import { activeEndpoint, startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver';

const ROUNDS = sizeFrom('STORE_AWAY_ROUNDS', 1);
const IS_FULL = ROUNDS > 1;
const WORKERS = 8;
/** Five seconds for the store, five for the read model to catch up, and the rest for a busy machine. */
const BOUND_MS = 15_000;
/** Refusals come at once while a store is away; without a pause they are all that the machine does. */
const AFTER_REFUSAL_MS = 20;
const STORES = ['eventStore', 'readStore'] as const;
const LONG = timeLimit(120_000 * ROUNDS);
const PROMISE = 'stores that went away';

type Attempt = Readonly<{ key: string; id: string | undefined; answer: Answer; ms: number }>;

describeWithMongo('a service whose stores become unavailable', (mongoUrl) => {
  let dns: DnsResponder;
  let stores: BreakableStores;
  let service: TestService;
  let scene: PaymentScene;
  let receiver: WebhookReceiver;
  let endpointId: string;
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
    ({ endpointId } = await activeEndpoint(service, scene.merchant, receiver.url));
  }, 120_000);
  afterAll(async () => {
    for (const step of undo.reverse()) await step();
  }, 60_000);

  // A test that fails halfway leaves no fault and no caller behind.
  const cleanUp: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const store of STORES) {
      await stores[store].accept();
      stores[store].resume();
    }
    for (const step of cleanUp.splice(0)) await step();
  });

  type Reached = Pick<TestService, 'url'>;
  const health = ({ url }: Reached = service): Promise<Answer> => call(`${url}/health/ready`);
  const untilReady = async (reached?: Reached): Promise<void> => {
    await eventually(
      () => health(reached),
      ({ status }) => status === 200,
      'being ready again',
    );
  };
  const create = ({ key, id }: Pick<Attempt, 'key' | 'id'>): Promise<Answer> =>
    createPayment(service, scene, id === undefined ? {} : { request_id: id }, { 'idempotency-key': key });
  /** Every second call has a key and an id, which makes two appends in a row. */
  const attempt = async (index: number): Promise<Attempt> => {
    const named = { key: newId('req'), id: index % 2 === 0 ? undefined : newId('req') };
    const started = performance.now();
    const answer = await create(named);
    return { ...named, answer, ms: performance.now() - started };
  };

  /** Callers that keep creating requests, whatever the responses, and remember them. */
  const startLoad = () => {
    const attempts: Attempt[] = [];
    let over = false;
    const work = async (): Promise<void> => {
      while (!over) {
        const made = await attempt(attempts.length);
        attempts.push(made);
        if (made.answer.status === 503) await pause(AFTER_REFUSAL_MS);
      }
    };
    const working = Promise.all(Array.from({ length: WORKERS }, work));
    const stop = async (): Promise<readonly Attempt[]> => {
      over = true;
      await working;
      return attempts;
    };
    cleanUp.push(stop);
    return {
      attempts,
      stop,
      until: async (condition: (attempts: readonly Attempt[]) => boolean): Promise<void> => {
        const seen = async (): Promise<boolean> => condition(attempts);
        const told = (): string =>
          JSON.stringify(attempts.slice(-6).map(({ answer, ms }) => [answer.status, answer.body.error, ms]));
        await eventually(seen, Boolean, 'what the callers waited for').catch(async (error: unknown) => {
          throw new Error(
            `${String(error)}; last answers ${told()}; health ${(await health()).text}; log ${service.log().slice(-3000)}`,
          );
        });
      },
    };
  };
  const created = async (): Promise<readonly string[]> => {
    const events = await stores.log.readAll(LOG_START, 1_000_000);
    return events.filter(({ type }) => type === 'PaymentRequestCreated').map(({ stream }) => stream);
  };
  const count = (attempts: readonly Pick<Attempt, 'answer'>[], ...statuses: readonly number[]): number =>
    attempts.filter(({ answer }) => statuses.includes(answer.status)).length;

  const all = STORES.flatMap((store) => FAULTS.map((fault) => [store, fault.name, fault] as const));
  // Each fault takes ten seconds. A usual run has each fault once, and each store stopped.
  const cases = IS_FULL
    ? all
    : all.filter(([store, name]) => name === 'stopped' || (name === 'frozen') === (store === 'readStore'));

  it.each(cases)(
    '%s %s: it reports that, loses nothing, leaves nothing half done, and recovers on its own',
    async (store, _name, fault) => {
      const before = await created();
      const load = startLoad();
      let away = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const served = count(load.attempts, 201);
        await load.until((attempts) => count(attempts, 201) >= served + WORKERS);
        // Between commits of concurrent callers: some are written but not yet acknowledged.
        const written = await stores.log.head();
        await eventually(
          () => stores.log.head(),
          (head) => head !== written,
          'a commit',
        );
        await fault.begin(stores[store]);
        away = count(load.attempts, 503);
        const [{ status, body }] = await Promise.all([
          health(),
          load.until((attempts) => count(attempts, 503) >= away + WORKERS),
        ]);
        expect(status).toBe(503);
        expect(body.checks[store === 'eventStore' ? 'event_store' : 'read_store']).toEqual({ status: 'failing' });
        expect((await call(`${service.url}/health`)).status).toBe(200);
        await fault.end(stores[store]);
        await untilReady();
      }
      const served = count(load.attempts, 201);
      await load.until((attempts) => count(attempts, 201) >= served + WORKERS);
      const attempts = await load.stop();

      const slowest = Math.round(Math.max(...attempts.map(({ ms }) => ms)));
      expect(count(attempts, 201, 503)).toBe(attempts.length);
      expect(slowest).toBeLessThan(BOUND_MS);
      expect(
        attempts.filter(({ answer }) => answer.status === 503 && answer.headers.get('retry-after') === null),
      ).toEqual([]);

      const known = new Set(await created());
      const again = await Promise.all(attempts.map(create));
      expect(
        count(
          again.map((answer) => ({ answer })),
          200,
          201,
        ),
      ).toBe(again.length);
      // When repeated, existing requests are found and missing ones are created: everything once.
      const found = attempts.filter((_, at) => again[at]?.status === 200).length;
      const after = await created();
      const made = after.length - before.length;
      // Acknowledged, but created only by the repeated call: it had been lost.
      const lost = attempts.filter(({ answer }, at) => answer.status === 201 && again[at]?.status !== 200).length;
      const doubled = Math.max(0, made - attempts.length);
      figure({ promise: PROMISE, tried: attempts.length, lost, doubled, slowestMs: slowest });
      expect([lost, doubled]).toEqual([0, 0]);
      expect(new Set(after).size).toBe(after.length);
      expect(made).toBe(attempts.length);
      expect(found).toBe(known.size - before.length);
      expect(found).toBeGreaterThanOrEqual(count(attempts, 201));
      for (const { body } of again) {
        expect((await readPayment(service, scene, body.payment_request.request_id as string)).status).toBe(200);
      }
    },
    LONG,
  );

  it(
    'still sends every webhook',
    async () => {
      const events = (await stores.log.readAll(LOG_START, 1_000_000)).filter(
        ({ type }) => type === 'PaymentRequestCreated',
      );
      const seen = () => deliveryFigures(endpointId, events, receiver.received);
      await eventually(
        async () => seen().lost,
        (lost) => lost === 0,
        'every delivery',
      );
      expect(seen()).toMatchObject({ lost: 0, outOfOrder: 0 });
    },
    LONG,
  );

  it(
    'starts while both are unavailable, reports that, and serves once they are back',
    async () => {
      for (const store of STORES) await FAULTS[0]?.begin(stores[store]);
      const { dataDir } = service;
      const env = { ...stores.env, DNS_SERVERS: dns.server, BASE_URL: 'http://svc.test', DATA_DIR: dataDir };
      const late = await spawnService(env);
      cleanUp.push(() => {
        late.child.kill('SIGTERM');
        return late.ended;
      });
      const [{ status, body }, refused] = await Promise.all([health(late), createPayment(late, scene)]);
      const failing = { status: 'failing' };
      expect(status).toBe(503);
      expect(body.checks).toMatchObject({ event_store: failing, read_store: failing, projections: failing });
      expect(refused.status).toBe(503);
      for (const store of STORES) await FAULTS[0]?.end(stores[store]);
      await untilReady(late);
      // Finding the new leader after the outage may take a moment; until then calls are refused in time.
      const made = await eventually(
        () => createPayment(late, scene),
        ({ status }) => status !== 503,
        'being served again',
      );
      expect(made.status).toBe(201);
      await untilReady();
    },
    LONG,
  );
});
