import { pause } from '../src/kernel/pause';
import { NewsBell } from '../src/http/feeds/news-bell';
import { type DnsResponder } from './support/dns-responder';
import { startEventStoreDb, type TestEventStoreDb } from './support/eventstoredb/server';
import {
  createPayment,
  eventsOfType,
  type PaymentScene,
  pollEvents,
  readPayment,
  reportPayment,
  setPaymentScene,
  startPaymentDns,
} from './support/payments';
import { startTestService, type TestService } from './support/service';

type Names = Readonly<{ key?: string; id?: string }>;

describe('payment requests on two instances with one log', () => {
  let engine: TestEventStoreDb;
  let dns: DnsResponder;
  let one: TestService;
  let two: TestService;
  let scene: PaymentScene;
  let time = Date.parse('2030-01-01T00:00:00.000Z');
  const clock = { now: () => new Date(time) };

  beforeAll(async () => {
    const { dns: responder, env: asksIt } = await startPaymentDns();
    dns = responder;
    engine = await startEventStoreDb();
    const env = {
      ...asksIt,
      EVENT_STORE: 'eventstoredb',
      EVENTSTORE_URL: engine.url,
      SERVICE_SECRET: 'only-for-tests-only-for-tests-only-for-tests',
    };
    [one, two] = await Promise.all([startTestService({ env, clock }), startTestService({ env, clock })]);
    scene = await setPaymentScene(one, dns, { clock });
  });
  afterAll(async () => {
    await Promise.all([one.stopAndForget(), two.stopAndForget()]);
    await engine.stop();
    await dns.close();
  });

  const create = (service: TestService, { key, id }: Names) =>
    createPayment(
      service,
      scene,
      { ...(id === undefined ? {} : { request_id: id }), expires_at: '2030-01-01T00:10:00.000Z' },
      key === undefined ? {} : { 'idempotency-key': key },
    );

  it.each<[string, (index: number) => Names]>([
    ['one key', () => ({ key: 'k1' })],
    ['one id', () => ({ id: 'r1' })],
    [
      'one key, with and without an id',
      (index) => (index % 3 === 0 ? { key: 'k2' } : { key: 'k2', id: `r2-${index % 2}` }),
    ],
    [
      'one id, with and without a key',
      (index) => (index % 3 === 0 ? { id: 'r3' } : { key: `k3-${index % 2}`, id: 'r3' }),
    ],
  ])('are created once with %s', async (_, namesOf) => {
    const before = (await eventsOfType(one, 'PaymentRequestCreated')).length;
    const answers = await Promise.all(
      Array.from({ length: 60 }, (__, index) => create(index % 2 === 0 ? one : two, namesOf(index >> 1))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await eventsOfType(two, 'PaymentRequestCreated')).length).toBe(before + 1);
  });

  it('change state once, whichever instances get the report', async () => {
    const id = (await create(one, {})).body.payment_request.request_id as string;
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        reportPayment(index % 2 === 0 ? one : two, scene, id, { status: index % 4 < 2 ? 'signed' : 'rejected' }),
      ),
    );
    const statuses = new Set(
      answers.filter(({ status }) => status === 200).map(({ body }) => body.payment_request.status as string),
    );
    expect(statuses.size).toBe(1);
    const moves = await eventsOfType(one, 'PaymentRequestSigned', 'PaymentRequestRejected');
    expect(moves.filter(({ data }) => (data as { request_id: string }).request_id === id)).toHaveLength(1);
  });

  it('wake callers that wait at the other instance, with the same cursors', async () => {
    const { next_cursor: since } = (await pollEvents(two, scene, 'limit=200')).body as { next_cursor: number };
    const poll = pollEvents(two, scene, `since=${since}&wait=30`);
    while (two.app.get(NewsBell).waiters !== 1) await pause(5);
    const id = (await create(one, {})).body.payment_request.request_id as string;
    const { events } = (await poll).body;
    expect(events).toEqual([expect.objectContaining({ cursor: since + 1, request_id: id })]);
    expect((await pollEvents(one, scene, 'limit=200')).body).toEqual((await pollEvents(two, scene, 'limit=200')).body);
  });

  it('expire once, although both instances watch the time', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await create(one, {})).body.payment_request.request_id as string),
    );
    time += 600_000;
    for (const service of [one, two]) {
      for (const id of ids) {
        while ((await readPayment(service, scene, id)).body.payment_request.status !== 'expired') await pause(20);
      }
    }
    const expired = (await eventsOfType(one, 'PaymentRequestExpired')).map(
      ({ data }) => (data as { request_id: string }).request_id,
    );
    expect(new Set(expired).size).toBe(expired.length);
    expect(expired).toEqual(expect.arrayContaining(ids));
  });
});
