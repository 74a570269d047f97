import { EVENT_STORE, type EventStore, StoreUnavailable } from '../src/platform/event-store/event-store.port';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import {
  connectAnotherWallet,
  createPayment,
  eventsOfType,
  type PaymentScene,
  setPaymentScene,
} from './support/payments';
import { useServiceWithDns } from './support/use-service';

/** Two calls race for one request id. The loser has created nothing, and must not be treated as if it had. */
describeOnEachPair('a create that lost a race for its request id', (start) => {
  const { service, dns } = useServiceWithDns({ start });
  let one: PaymentScene;
  let other: PaymentScene;
  beforeAll(async () => {
    one = await setPaymentScene(service, dns);
    other = await connectAnotherWallet(service, one);
  });

  const byKey = (scene: PaymentScene, key: string) =>
    call(`${service.url}/v1/payment-requests/by-key/${key}`, { headers: scene.headers });
  const careful = { if_duplicate: 'refuse' };

  it('does not find another connection’s request by its key', async () => {
    const answers = await Promise.all(
      [one, other].map((scene, at) =>
        createPayment(service, scene, {
          request_id: 'order-7',
          idempotency_key: `key-${at}`,
          metadata: { note: `secret of wallet ${at}` },
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect([...statuses].sort()).toEqual([201, 409]);
    const loser = statuses.indexOf(409);
    const found = await byKey([one, other][loser] as PaymentScene, `key-${loser}`);
    expect([found.status, found.body.payment_request?.metadata]).toEqual([404, undefined]);
  });

  it('does not find a request with another intent by its key', async () => {
    const answers = await Promise.all(
      ['1', '2'].map((amount) =>
        createPayment(service, one, {
          request_id: 'order-8',
          idempotency_key: `amount-${amount}`,
          payment: { amount },
        }),
      ),
    );
    const loser = answers[0]?.status === 409 ? '1' : '2';
    const found = await byKey(one, `amount-${loser}`);
    expect([
      answers.map(({ status }) => status).sort(),
      found.status,
      found.body.payment_request?.payment.amount,
    ]).toEqual([[201, 409], 404, undefined]);
  });

  it('is no duplicate of a request to another wallet', async () => {
    const scenes = [one, other];
    const answers = await Promise.all(
      scenes.map((scene) =>
        createPayment(service, scene, { ...careful, request_id: 'careful-1', payment: { amount: '5' } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const loser = scenes[answers.findIndex(({ status }) => status === 409)] as PaymentScene;
    // The loser has created nothing yet, so it chooses another id.
    const again = await createPayment(service, loser, {
      ...careful,
      request_id: 'careful-1b',
      payment: { amount: '5' },
    });
    expect([again.status, again.body.error?.code, again.body.error?.details]).toEqual([201, undefined, undefined]);
  });

  it('is no duplicate of a request for another amount', async () => {
    const amounts = ['6', '7'];
    const answers = await Promise.all(
      amounts.map((amount) =>
        createPayment(service, one, { ...careful, request_id: 'careful-2', payment: { amount } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const amount = amounts[answers.findIndex(({ status }) => status === 409)];
    const again = await createPayment(service, one, { ...careful, request_id: 'careful-2b', payment: { amount } });
    expect([again.status, again.body.error?.code, again.body.error?.details]).toEqual([201, undefined, undefined]);
  });
});

describeOnEachPair('an append that is still in flight when its call is answered 503', (start) => {
  const { service, dns } = useServiceWithDns({ start });

  it('keeps its recipient and amount from being requested twice', async () => {
    const scene = await setPaymentScene(service, dns);
    const store = service.app.get<EventStore>(EVENT_STORE);
    const really = store.append.bind(store);
    let arrive: (() => Promise<unknown>) | undefined;
    const spy = jest.spyOn(store, 'append').mockImplementation((stream, expected, events) => {
      const isFirst = arrive === undefined && events.some(({ type }) => type === 'PaymentRequestCreated');
      if (!isFirst) return really(stream, expected, events);
      arrive = () => really(stream, expected, events);
      return Promise.reject(new StoreUnavailable('hanging'));
    });
    const careful = { if_duplicate: 'refuse', payment: { amount: '3' } };
    const first = await createPayment(service, scene, careful, { 'idempotency-key': 'order-1' });
    expect(first.status).toBe(503);
    const second = await createPayment(service, scene, careful, { 'idempotency-key': 'order-1 typed again' });
    await arrive?.();
    spy.mockRestore();

    const made = await eventsOfType(service, 'PaymentRequestCreated');
    expect([second.status, made.length]).toEqual([409, 1]);
  });
});
