import { setTimeout as delay } from 'node:timers/promises';
import { pause } from '../src/kernel/pause';
import { claimInvitation, claimKey, decide, exchange, issueConnectKey, mustBe } from './support/connections';
import { deliveryFigures, type DeliveryFigures } from './support/delivery-witness';
import { type DnsResponder } from './support/dns-responder';
import { eventually } from './support/eventually';
import { countFigure, figure, sizeFrom, timeLimit } from './support/figures';
import { type Answer, call } from './support/http';
import { type Instance, Instances, leads } from './support/instances';
import { linkTokenFor } from './support/merchant';
import { describeWithMongo } from './support/mongodb';
import { startPaymentLoad } from './support/payment-load';
import { createPayment, type PaymentScene, readPayment, setPaymentScene, startPaymentDns } from './support/payments';
import { startStopwatch } from './support/stopwatch';
import { activeEndpoint, startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver';

const ROUNDS = sizeFrom('INSTANCES_ROUNDS', 1);
const WRITES = sizeFrom('INSTANCES_WRITES', 16);
const RACERS = sizeFrom('INSTANCES_RACERS', 6);
/** Each check queries every instance twice, and responding with all metrics has a cost. */
const LOOK_EVERY_MS = sizeFrom('INSTANCES_LOOK_EVERY_MS', 500);
const WORKERS = sizeFrom('INSTANCES_WORKERS', 2);
/** Without a pause, the load would only compete with the starts that it waits for. */
const PAUSE_MS = sizeFrom('INSTANCES_PAUSE_MS', 150);
const TAKEN_OVER_WITHIN_MS = 3_000;
/** After this long nothing that a process sent before it was paused is still in flight over loopback. */
const ARRIVED_MS = 2_000;
const WEBHOOK_EVENTS = [
  'PaymentRequestCreated',
  'PaymentRequestSigned',
  'PaymentRequestBroadcasted',
  'PaymentRequestConfirmed',
];
const LONG = timeLimit(120_000 * ROUNDS);
const PROMISE = 'several instances';
const TAKEN_OVER = 'another takes over';
const BACKLOG = sizeFrom('INSTANCES_BACKLOG', 40);
/** The messages in flight to one endpoint. */
const IN_FLIGHT = 8;

describeWithMongo('three instances on one EventStoreDB and one MongoDB', (mongoUrl) => {
  let dns: DnsResponder;
  let instances: Instances;
  let scene: PaymentScene;
  let receiver: WebhookReceiver;
  let endpointId: string;
  let answerAfterMs = 0;
  let answering: Promise<void> = Promise.resolve();
  const arrivals: { id: string; at: number }[] = [];
  const watch = { looks: 0, twoLed: 0, over: false };
  /** Cleanup in reverse order, however far the setup got. */
  const undo: (() => Promise<unknown>)[] = [];

  const watchLeaders = async (): Promise<void> => {
    while (!watch.over) {
      watch.twoLed += (await instances.twoLead()) ? 1 : 0;
      watch.looks += 1;
      await pause(LOOK_EVERY_MS);
    }
  };

  beforeAll(async () => {
    const { dns: responder, env } = await startPaymentDns();
    dns = responder;
    undo.push(() => dns.close());
    instances = await Instances.open(mongoUrl, { ...env, ALLOW_PRIVATE_NETWORKS: 'true' });
    undo.push(() => instances.close());
    const [first] = await Promise.all([instances.add(), instances.add(), instances.add()]);
    scene = await setPaymentScene(first, dns);
    receiver = await startWebhookReceiver();
    undo.push(() => receiver.close());
    receiver.behave(({ id }, _request, response) => {
      arrivals.push({ id, at: performance.now() });
      void answering.then(() => delay(answerAfterMs)).then(() => response.writeHead(204).end());
    });
    ({ endpointId } = await activeEndpoint(first, scene.merchant, receiver.url));
    const watching = watchLeaders();
    undo.push(() => watching);
  }, 120_000);
  afterAll(async () => {
    watch.over = true;
    for (const step of undo.reverse()) await step();
  }, 60_000);

  /** Everything sent so far, once all of it has arrived. */
  const deliveries = async (): Promise<DeliveryFigures> => {
    const events = await instances.eventsOfType(...WEBHOOK_EVENTS);
    for (;;) {
      const seen = deliveryFigures(endpointId, events, arrivals);
      if (seen.lost === 0) return seen;
      await pause(50);
    }
  };
  const at = (index: number): Instance => instances.awake[index % instances.awake.length] as Instance;
  /** Measured while this process runs: on a busy machine all of them stand still at times, and nobody is slow then. */
  const takeOver = async (measured: () => number): Promise<number> => {
    await instances.leader();
    return Math.round(measured());
  };
  const untilMoreIsDone = async (load: { done: () => number }): Promise<void> => {
    const enough = load.done() + WORKERS;
    while (load.done() < enough) await pause(20);
  };

  it(
    'show at once what another instance has answered',
    async () => {
      const next = Array.from({ length: WRITES }, (_, index) => index).values();
      const statuses: Record<number, number> = {};
      const work = async (): Promise<void> => {
        for (const index of next) {
          const { body } = mustBe(201, await createPayment(at(index), scene));
          const { status } = await readPayment(at(index + 1), scene, body.payment_request.request_id as string);
          statuses[status] = (statuses[status] ?? 0) + 1;
        }
      };
      await Promise.all(Array.from({ length: WORKERS }, work));
      countFigure(PROMISE, WRITES, WRITES, statuses[200] ?? 0);
      expect(statuses).toEqual({ 200: WRITES });
    },
    LONG,
  );

  const race = (act: (instance: Instance, index: number) => Promise<Answer>): Promise<readonly Answer[]> =>
    Promise.all(Array.from({ length: RACERS }, (_, index) => act(at(index), index)));
  const won = (answers: readonly Answer[]): number => answers.filter(({ status }) => status < 300).length;

  it(
    'let exactly one caller win what can be used once',
    async () => {
      const key = await issueConnectKey(at(0), scene.device);
      const claims = await race((instance) => claimKey(instance, scene.agent, key));
      const claimed = await claimInvitation(at(0), scene.agent, scene.device);
      mustBe(200, await decide(at(1), scene.device, claimed.invitationId, 'approve'));
      const exchanges = await race((instance) => exchange(instance, claimed));
      const token = await linkTokenFor(at(0), 'racer@example.test');
      const links = await race(({ url }) =>
        call(`${url}/v1/merchant-accounts/email-verifications`, { body: { token } }),
      );
      for (const answers of [claims, exchanges, links]) countFigure(PROMISE, RACERS, 1, won(answers));
      expect([won(claims), won(exchanges), won(links)]).toEqual([1, 1, 1]);
      expect([...claims, ...exchanges, ...links].filter(({ status }) => status >= 500)).toEqual([]);
    },
    LONG,
  );

  it(
    'create one request for one idempotency key',
    async () => {
      const before = (await instances.eventsOfType('PaymentRequestCreated')).length;
      const answers = await race((instance) => createPayment(instance, scene, {}, { 'idempotency-key': 'one' }));
      countFigure(PROMISE, RACERS, 1, answers.filter(({ status }) => status === 201).length);
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect((await instances.eventsOfType('PaymentRequestCreated')).length).toBe(before + 1);
    },
    LONG,
  );

  it(
    'hand over in a graceful stop: nothing is lost, duplicated or out of order',
    async () => {
      const { robbed } = instances;
      const load = startPaymentLoad(instances, scene, WORKERS, PAUSE_MS);
      const handOverMs: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        await untilMoreIsDone(load);
        const leader = await instances.leader();
        expect(await instances.stop(leader, 'SIGTERM')).toBe(0);
        handOverMs.push(await takeOver(startStopwatch()));
        await instances.add();
      }
      await untilMoreIsDone(load);
      await load.stop();
      const seen = await deliveries();
      figure({ promise: PROMISE, tried: seen.events, lost: seen.lost, doubled: seen.doubled });
      const doubled = instances.robbed > robbed ? seen.doubled : 0;
      expect(seen).toEqual({ events: seen.events, lost: 0, doubled, outOfOrder: 0 });
      expect(Math.max(...handOverMs)).toBeLessThan(TAKEN_OVER_WITHIN_MS);
    },
    LONG,
  );

  it(
    'continue within three seconds after kill -9, with nothing lost or out of order',
    async () => {
      const load = startPaymentLoad(instances, scene, WORKERS, PAUSE_MS);
      const takeOverMs: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        await untilMoreIsDone(load);
        const leader = await instances.leader();
        await instances.stop(leader, 'SIGKILL');
        takeOverMs.push(await takeOver(startStopwatch()));
        await instances.add();
      }
      await untilMoreIsDone(load);
      const ids = await load.stop();
      const seen = await deliveries();
      const moves = (await instances.eventsOfType(...WEBHOOK_EVENTS)).map(({ type, stream }) => `${type} ${stream}`);
      // Messages in flight when the sender died are sent again under the same id; no effect happens twice.
      figure({ promise: PROMISE, tried: seen.events, lost: seen.lost, doubled: moves.length - new Set(moves).size });
      figure({ promise: TAKEN_OVER, tried: ROUNDS, lost: 0, doubled: 0, slowestMs: Math.max(...takeOverMs) });
      expect([seen.lost, seen.outOfOrder]).toEqual([0, 0]);
      expect(new Set(moves).size).toBe(moves.length);
      expect(moves.filter((move) => ids.some((id) => move.endsWith(id)))).toHaveLength(
        ids.length * WEBHOOK_EVENTS.length,
      );
      expect(Math.max(...takeOverMs)).toBeLessThan(TAKEN_OVER_WITHIN_MS);
    },
    LONG,
  );

  it(
    'keep a paused leader from doing anything more when it wakes',
    async () => {
      const takeOverMs: number[] = [];
      let sentTwice = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const leader = await instances.leader();
        // The receiver does not answer until the leader is paused, then slowly: a former leader would still have work.
        let answer: () => void = () => undefined;
        answering = new Promise((resolve) => (answer = resolve));
        answerAfterMs = 300;
        const begun = arrivals.length;
        const backlog = await Promise.all(Array.from({ length: BACKLOG }, () => createPayment(at(round), scene)));
        expect(backlog.map(({ status }) => status)).toEqual(Array(BACKLOG).fill(201));
        while (arrivals.length < begun + IN_FLIGHT) await pause(10);
        instances.pause(leader);
        const pausedAt = performance.now();
        const measured = startStopwatch();
        answer();
        takeOverMs.push(await takeOver(measured));
        const sentBySuccessor = begun + 3 * IN_FLIGHT;
        while (arrivals.length < sentBySuccessor) await pause(10);
        instances.wake(leader);
        expect(await leads(leader)).toBe(false);
        mustBe(201, await createPayment(leader, scene));
        answerAfterMs = 0;
        await deliveries();
        const late = arrivals.filter(({ at: when }) => when > pausedAt + ARRIVED_MS).map(({ id }) => id);
        sentTwice += late.length - new Set(late).size;
      }
      figure({ promise: PROMISE, tried: ROUNDS * BACKLOG, lost: 0, doubled: sentTwice });
      figure({ promise: TAKEN_OVER, tried: ROUNDS, lost: 0, doubled: 0, slowestMs: Math.max(...takeOverMs) });
      expect(sentTwice).toBe(0);
      expect(Math.max(...takeOverMs)).toBeLessThan(TAKEN_OVER_WITHIN_MS);
    },
    LONG,
  );

  it(
    'never had two leaders at a time',
    async () => {
      await eventually(
        async () => watch.looks,
        (looks) => looks > 20,
        'more than twenty looks',
      );
      figure({ promise: PROMISE, tried: watch.looks, lost: 0, doubled: watch.twoLed });
      expect(watch.twoLed).toBe(0);
    },
    LONG,
  );
});
