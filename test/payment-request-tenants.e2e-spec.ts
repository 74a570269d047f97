import { encodeEvent } from '../src/platform/event-store/event-codec';
import { EVENT_STORE, type EventStore } from '../src/platform/event-store/event-store.port';
import { newId } from '../src/kernel/ids';
import { createActiveRecipient, createActiveAgent } from './support/agents';
import { bearing, connectAgent } from './support/connections';
import { registerDevice } from './support/devices';
import { eventually } from './support/eventually';
import { type Answer, call } from './support/http';
import { signUpMerchant } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import {
  createPayment,
  eventsOfType,
  issues,
  type PaymentScene,
  readPayment,
  refusal,
  reportPayment,
  setPaymentScene,
} from './support/payments';
import { useServiceWithDns } from './support/use-service';

describeOnEachPair('request ids that two merchants both chose', (start) => {
  let ours: PaymentScene;
  /** Another merchant, connected to the same wallet. */
  let theirs: PaymentScene;

  const { service, dns } = useServiceWithDns({ start });
  beforeAll(async () => {
    ours = await setPaymentScene(service, dns);
    const merchant = await signUpMerchant(service, { dns });
    const agent = await createActiveAgent(service, merchant);
    const recipient = await createActiveRecipient(service, merchant);
    const connection = await connectAgent(service, agent, ours.device);
    const headers = bearing(connection.connectionToken);
    theirs = { merchant, agent, recipient, device: ours.device, connection, headers };
  });

  const newName = (): string => `order-${newId('req').slice(-10)}`;
  const create = (scene: PaymentScene, request_id: string, amount = '1', key?: string): Promise<Answer> =>
    createPayment(
      service,
      scene,
      { request_id, payment: { amount } },
      key === undefined ? {} : { 'x-idempotency-key': key },
    );
  const at = (name: string, query = ''): string => `${service.url}/v1/payment-requests/${name}${query}`;
  const asWallet = (name: string, query = ''): Promise<Answer> =>
    call(at(name, query), { headers: ours.device.headers });
  const both = async (): Promise<string> => {
    const name = newName();
    expect((await create(ours, name, '1')).status).toBe(201);
    expect((await create(theirs, name, '2')).status).toBe(201);
    return name;
  };

  it('do not conflict, and each merchant sees its own', async () => {
    const name = await both();
    for (const [scene, amount] of [[ours, '1'] as const, [theirs, '2'] as const]) {
      const byAgent = await readPayment(service, scene, name);
      const byMerchant = await readPayment(service, scene.merchant, name);
      for (const { body } of [byAgent, byMerchant]) {
        expect(body.payment_request).toMatchObject({ request_id: name, connection_id: scene.connection.connectionId });
        expect(body.payment_request.payment.amount).toBe(amount);
      }
      expect((await create(scene, name, amount)).status).toBe(200);
      expect(refusal(await create(scene, name, '3'))).toEqual([409, 'request_id_unavailable']);
    }
  });

  it('reveal nothing about those of others', async () => {
    const name = newName();
    await create(ours, name);
    const [known, unknown] = [await readPayment(service, theirs, name), await readPayment(service, theirs, newName())];
    const { request_id: _known, ...first } = known.body.error;
    const { request_id: _unknown, ...second } = unknown.body.error;
    expect([known.status, first]).toEqual([unknown.status, second]);
    expect(known.status).toBe(404);
    expect((await create(theirs, name, '7', 'a-key')).status).toBe(201);
  });

  it('open nothing to a wallet or merchant that names a connection which is not the request’s own', async () => {
    const ids = [newName(), undefined];
    const stranger = await registerDevice(service);
    for (const request_id of ids) {
      const made = await createPayment(service, ours, { request_id });
      const id = made.body.payment_request.request_id as string;
      const { connectionId } = ours.connection;
      for (const path of ['', '/timeline', '/proof']) {
        for (const query of ['', `?connection_id=${connectionId}`]) {
          const asStranger = call(at(id, `${path}${query}`), { headers: stranger.headers });
          expect(refusal(await asStranger)).toEqual([404, 'resource_not_found']);
        }
      }
      const elsewhere = `?connection_id=${theirs.connection.connectionId}`;
      for (const answer of [
        await call(at(id, elsewhere), { headers: ours.merchant.headers }),
        await call(at(id, `/status${elsewhere}`), { headers: ours.device.headers, body: { status: 'rejected' } }),
      ]) {
        expect(refusal(answer)).toEqual([404, 'resource_not_found']);
      }
    }
  });

  it('are the only id: the stream’s name is not accepted', async () => {
    const name = newName();
    await create(ours, name);
    const made = await eventsOfType(service, 'PaymentRequestCreated');
    const { stream } = made.find(({ data }) => (data as { request_id: string }).request_id === name) as {
      stream: string;
    };
    const place = stream.slice('payment_request-'.length);
    expect(place).toMatch(/^pr_/);
    for (const by of [ours, ours.merchant, ours.device])
      expect((await readPayment(service, by, place)).status).toBe(404);
    expect((await reportPayment(service, ours, place, { status: 'signed' })).status).toBe(404);
  });

  it('are told apart by connection for a wallet that has both', async () => {
    const name = await both();
    const ids = [ours, theirs].map(({ connection }) => connection.connectionId);
    for (const answer of [
      await asWallet(name),
      await asWallet(name, '/proof'),
      await reportPayment(service, ours, name, { status: 'signed' }),
    ]) {
      expect(refusal(answer)).toEqual([409, 'ambiguous_request_id']);
      expect([...answer.body.error.details.connection_ids].sort()).toEqual([...ids].sort());
    }
    const [first = '', second = ''] = ids;
    expect((await asWallet(name, `?connection_id=${second}`)).body.payment_request.payment.amount).toBe('2');
    expect((await asWallet(name, `/proof?connection_id=${first}`)).status).toBe(200);
    const report = { status: 'rejected', connection_id: first };
    expect((await reportPayment(service, ours, name, report)).body.payment_request).toMatchObject({
      status: 'rejected',
      connection_id: first,
    });
    expect((await readPayment(service, theirs, name)).body.payment_request.status).toBe('pending');
    expect((await asWallet(name, `?connection_id=${newId('con')}`)).status).toBe(404);
    expect((await asWallet(name, '?connection_id=')).status).toBe(400);
  });

  it('are told apart in the query of a report too', async () => {
    const name = await both();
    const [first = '', second = ''] = [ours, theirs].map(({ connection }) => connection.connectionId);
    const report = (query: string, body: object = {}) =>
      call(at(name, `/status?${query}`), {
        headers: ours.device.headers,
        body: { status: 'signed', ...body },
      });
    const reported = await report(`connection_id=${second}`);
    expect(reported.body.payment_request).toMatchObject({ status: 'signed', connection_id: second });
    expect((await readPayment(service, ours, name)).body.payment_request.status).toBe('pending');
    expect((await report(`connection_id=${second}`, { connection_id: second })).status).toBe(200);
    const torn = await report(`connection_id=${first}`, { connection_id: second });
    expect([refusal(torn), issues(torn)]).toEqual([[400, 'validation_failed'], [['mismatch', 'connection_id']]]);
    const alsoIncomplete = await report(`connection_id=${first}`, { connection_id: second, status: 'failed' });
    expect(issues(alsoIncomplete)).toEqual([
      ['required', 'reason'],
      ['mismatch', 'connection_id'],
    ]);
    expect(issues(await report('connection_id=', { status: 'paid' }))).toEqual([
      ['not_allowed', 'status'],
      ['too_short', 'connection_id'],
    ]);
    expect((await report(`connection_id=${newId('con')}`)).status).toBe(404);
    expect((await report('connection_id=')).status).toBe(400);
    expect((await readPayment(service, ours, name)).body.payment_request.status).toBe('pending');
  });

  it('need no connection if the wallet has only one of them', async () => {
    const name = newName();
    await create(ours, name);
    expect((await asWallet(name)).body.payment_request.request_id).toBe(name);
    expect((await reportPayment(service, ours, name, { status: 'signed' })).body.payment_request.status).toBe('signed');
    const elsewhere = await asWallet(name, `?connection_id=${theirs.connection.connectionId}`);
    expect(elsewhere.status).toBe(404);
  });

  describe('in a log from when ids were globally unique', () => {
    /** A request as an old log holds it: in a stream named after the id itself. */
    const older = async (): Promise<Readonly<{ name: string; amount: string }>> => {
      const [amount, name, model] = ['5', newName(), newName()];
      await create(ours, model, amount);
      const made = await eventsOfType(service, 'PaymentRequestCreated');
      const like = made.find(({ data }) => (data as { request_id: string }).request_id === model);
      const event = { type: 'PaymentRequestCreated', data: { ...like?.data, request_id: name } };
      const context = { requestId: 'older', actor: { kind: 'connection', id: ours.connection.connectionId } };
      const store = service.app.get<EventStore>(EVENT_STORE);
      await store.append(`payment_request-${name}`, 0, [encodeEvent(event, context, new Date().toISOString())]);
      await eventually(
        () => readPayment(service, ours, name),
        ({ status }) => status === 200,
        'it is shown',
      );
      return { name, amount };
    };

    it('can still be read, reported on and replayed', async () => {
      const { name, amount } = await older();
      for (const by of [ours, ours.merchant, ours.device])
        expect((await readPayment(service, by, name)).status).toBe(200);
      expect((await create(ours, name, amount)).status).toBe(200);
      expect(refusal(await create(ours, name, '6'))).toEqual([409, 'request_id_unavailable']);
      expect((await reportPayment(service, ours, name, { status: 'signed' })).status).toBe(200);
    });

    it('no longer block other merchants', async () => {
      const { name } = await older();
      expect((await create(theirs, name, '2')).status).toBe(201);
      expect((await readPayment(service, theirs, name)).body.payment_request.payment.amount).toBe('2');
      expect((await readPayment(service, ours, name)).body.payment_request.payment.amount).toBe('5');
      expect(refusal(await asWallet(name))).toEqual([409, 'ambiguous_request_id']);
    });
  });
});
