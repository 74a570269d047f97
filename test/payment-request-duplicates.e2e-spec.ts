import { bearing, connectAgent } from './support/connections';
import {
  connectAnotherWallet,
  createPayment,
  eventsOfType,
  type PaymentScene,
  readPayment,
  refusal,
  reportPayment,
  setPaymentScene,
} from './support/payments';
import { AT_ONCE } from './support/figures';
import { type Answer, call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { useScene } from './support/use-service';

const DAY_MS = 24 * 3_600_000;

describeOnEachPair('payment requests that may be accidental duplicates', (start) => {
  let now = Date.parse('2030-01-01T00:00:00.000Z');
  const clock = { now: () => new Date(now) };

  const { service, dns, scene } = useScene({ start, clock });

  const ask = (key: string, amount: string, changes: object = {}, by = scene): Promise<Answer> =>
    createPayment(service, by, { idempotency_key: key, payment: { amount }, ...changes });
  const only = { if_duplicate: 'refuse' };
  const idOf = ({ body }: Answer): string => body.payment_request.request_id as string;
  const byKey = (key: string, { headers } = scene): Promise<Answer> =>
    call(`${service.url}/v1/payment-requests/by-key/${encodeURIComponent(key)}`, { headers });

  it('are reported in the response if recipient and amount are the same under another key', async () => {
    const first = await ask('tell-1', '1.10');
    expect(first.body).not.toHaveProperty('duplicates');
    const second = await ask('tell-2', '1.1');
    expect(second.status).toBe(201);
    const { request_id, created_at } = first.body.payment_request;
    expect(second.body.duplicates).toEqual([{ request_id, status: 'pending', created_at }]);
    expect((await ask('tell-2', '1.1')).body.duplicates).toEqual(second.body.duplicates);
    expect((await ask('tell-3', '1.2')).body).not.toHaveProperty('duplicates');
    const other = await setPaymentScene(service, dns, { clock });
    expect((await ask('tell-1', '1.1', {}, other)).body).not.toHaveProperty('duplicates');
  });

  it('are refused if the caller asks for that, and nothing is created', async () => {
    const first = await ask('refuse-1', '2', only);
    expect(first.status).toBe(201);
    const before = (await eventsOfType(service, 'PaymentRequestCreated')).length;
    const second = await ask('refuse-2', '2.0', only);
    expect(refusal(second)).toEqual([409, 'possible_duplicate']);
    const { request_id, created_at } = first.body.payment_request;
    expect(second.body.error.details).toEqual({ duplicates: [{ request_id, status: 'pending', created_at }] });
    expect(await eventsOfType(service, 'PaymentRequestCreated')).toHaveLength(before);
    expect(refusal(await byKey('refuse-2'))).toEqual([404, 'resource_not_found']);
    // The same key returns the same request, and a caller that does not ask for it is not refused.
    expect([(await ask('refuse-1', '2', only)).status, idOf(await ask('refuse-1', '2'))]).toEqual([200, request_id]);
    expect((await ask('refuse-2', '2.0')).status).toBe(201);
  });

  it('are named by the id that the agent chose, even while they are still being created', async () => {
    const request_id = 'order-of-two';
    expect((await ask('named-1', '2.5', { ...only, request_id })).status).toBe(201);
    const refused = await ask('named-2', '2.5', only);
    expect(refused.body.error.details.duplicates).toMatchObject([{ request_id }]);
    const [taken] = (await eventsOfType(service, 'PaymentIntentTaken')).slice(-1);
    expect(taken?.data).toMatchObject({ amount: '2.5', chosen_id: request_id });
  });

  it('no longer count once the other has ended or is a day old', async () => {
    const rejected = idOf(await ask('over-1', '3', only));
    await reportPayment(service, scene, rejected, { status: 'rejected' });
    const confirmed = await ask('over-2', '3', only);
    expect(confirmed.status).toBe(201);
    const transaction_hash = '12'.repeat(32);
    await reportPayment(service, scene, idOf(confirmed), { status: 'signed' });
    await reportPayment(service, scene, idOf(confirmed), { status: 'broadcasted', transaction_hash });
    await reportPayment(service, scene, idOf(confirmed), { status: 'confirmed', transaction_hash });
    expect(refusal(await ask('over-3', '3', only))).toEqual([409, 'possible_duplicate']);
    now += DAY_MS + 1;
    expect((await ask('over-4', '3', only)).status).toBe(201);
  });

  it('release their claim if they are refused for another reason', async () => {
    const taken = await ask('place-1', '4', { request_id: 'place-4' });
    await reportPayment(service, scene, idOf(taken), { status: 'rejected' });
    const refused = await ask('place-2', '4', { request_id: 'place-4', metadata: { other: true }, ...only });
    expect(refusal(refused)[0]).toBe(409);
    expect((await ask('place-3', '4', only)).status).toBe(201);
  });

  it('are made at most once by a crowd at once', async () => {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => ask(`race-${index}`, '5', only)));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    const [winner] = made.map(idOf);
    const others = answers.filter(({ status }) => status !== 201);
    expect(others.map(refusal)).toEqual(others.map(() => [409, 'possible_duplicate']));
    for (const { body } of others) expect(body.error.details.duplicates[0].request_id).toBe(winner);
    const created = await eventsOfType(service, 'PaymentRequestCreated');
    expect(created.filter(({ data }) => (data as { amount: string }).amount === '5')).toHaveLength(1);
  }, 120_000);

  it('are found by key only on their own connection', async () => {
    const key = 'Bestellung 7/é';
    const made = await createPayment(service, scene, { idempotency_key: key, payment: { amount: '6' } });
    const found = await byKey(key);
    expect([found.status, found.body.payment_request]).toEqual([200, made.body.payment_request]);
    const named = await ask('named', '6.1', { request_id: 'invoice-61' });
    expect((await byKey('named')).body.payment_request).toEqual(named.body.payment_request);
    const other = await setPaymentScene(service, dns, { clock });
    expect(refusal(await byKey(key, other))).toEqual([404, 'resource_not_found']);
    expect(refusal(await byKey('nothing'))).toEqual([404, 'resource_not_found']);
  });

  describe('when the agent has lost its token and connected again', () => {
    const connectAgain = async (by = scene): Promise<PaymentScene> => {
      const connection = await connectAgent(service, by.agent, by.device);
      return { ...by, connection, headers: bearing(connection.connectionToken) };
    };
    const pay = async (id: string): Promise<void> => {
      const transaction_hash = '34'.repeat(32);
      await reportPayment(service, scene, id, { status: 'signed' });
      await reportPayment(service, scene, id, { status: 'broadcasted', transaction_hash });
      expect((await reportPayment(service, scene, id, { status: 'confirmed', transaction_hash })).status).toBe(200);
    };

    it('an order that was paid is not made once more, whenever that was and for however much', async () => {
      const paid = await ask('order-1017', '20', only);
      await pay(idOf(paid));
      const { request_id, created_at } = paid.body.payment_request;
      const again = await connectAgain();
      const duplicates = [{ request_id, status: 'confirmed', created_at }];
      for (const amount of ['20.0', '20.5']) {
        const refused = await ask('order-1017', amount, only, again);
        expect([refusal(refused), refused.body.error.details]).toEqual([[409, 'possible_duplicate'], { duplicates }]);
      }
      // Another order of the same amount is one too, for a day; the key is for ever.
      expect((await ask('order-1018', '20', only, again)).body.error.details).toEqual({ duplicates });
      now += DAY_MS + 1;
      expect((await ask('order-1017', '20.5', only, again)).body.error.details).toEqual({ duplicates });
      expect((await ask('order-1018', '20', only, again)).status).toBe(201);
      expect(refusal(await byKey('order-1017', again))).toEqual([404, 'resource_not_found']);
      // Who does not mind duplicates is told of them.
      const told = await ask('order-1017', '20.5', {}, again);
      expect([told.status, told.body.duplicates]).toEqual([201, duplicates]);
      const read = (id: string) => readPayment(service, scene.device, id);
      const notice = (await read(idOf(told))).body.review.notices[0];
      expect(notice).toMatchObject({ code: 'same_order_paid', severity: 'danger', request_ids: [request_id] });
    });

    it('an order that was not paid is one, too, as it would be on its own connection', async () => {
      const rejected = await ask('order-1019', '21', only);
      await reportPayment(service, scene, idOf(rejected), { status: 'rejected' });
      const again = await connectAgain();
      const refused = await ask('order-1019', '21', only, again);
      expect(refused.body.error.details.duplicates).toMatchObject([{ request_id: idOf(rejected), status: 'rejected' }]);
      expect((await ask('order-1020', '21', only, again)).status).toBe(201);
    });

    it('an order that was paid late was paid', async () => {
      const late = await ask('order-1022', '24', only);
      await reportPayment(service, scene, idOf(late), { status: 'rejected' });
      await reportPayment(service, scene, idOf(late), { status: 'broadcasted', transaction_hash: '56'.repeat(32) });
      const again = await connectAgain();
      const refused = await ask('order-1023', '24', only, again);
      expect(refused.body.error.details.duplicates).toMatchObject([{ request_id: idOf(late), status: 'rejected' }]);
      const { body } = await readPayment(service, scene.device, idOf(await ask('order-1023', '24', {}, again)));
      expect(body.review.notices[0]).toMatchObject({ code: 'same_order_paid', request_ids: [idOf(late)] });
    });

    it('nothing is said of another wallet, agent or merchant', async () => {
      await ask('order-1021', '22');
      const [anotherWallet, another] = [
        await connectAnotherWallet(service, scene),
        await setPaymentScene(service, dns, { clock }),
      ];
      const onThisDevice = await connectAgent(service, another.agent, scene.device);
      const strangers = { ...another, device: scene.device, headers: bearing(onThisDevice.connectionToken) };
      for (const by of [anotherWallet, another, strangers]) {
        const made = await ask('order-1021', '22', only, by);
        expect([made.status, made.body.duplicates]).toEqual([201, undefined]);
      }
    });

    it('one of two connections gets through if both ask at once', async () => {
      const [one, other] = [await connectAgain(), await connectAgain()];
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) => ask(`both-${index >> 1}`, '23', only, index % 2 ? one : other)),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      const others = answers.filter(({ status }) => status !== 201);
      expect(others.map(refusal)).toEqual(others.map(() => [409, 'possible_duplicate']));
    }, 120_000);
  });

  it('accept only two values for if_duplicate', async () => {
    const wrong = await ask('word', '7', { if_duplicate: 'maybe' });
    expect([wrong.status, wrong.body.error.field]).toEqual([400, 'if_duplicate']);
    expect((await ask('word', '7', { if_duplicate: 'allow' })).status).toBe(201);
    const reserved = await ask('reserved', '8', { request_id: 'by-key' });
    expect([reserved.status, reserved.body.error.field]).toEqual([400, 'request_id']);
  });
});
