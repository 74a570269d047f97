import { registerDevice } from './support/devices';
import { type Answer, call } from './support/http';
import { connectAnotherWallet, createPayment, issues, readPayment, refusal, reportPayment } from './support/payments';
import { useScene } from './support/use-service';

describe('a status report', () => {
  const { service, scene } = useScene();

  const aRequest = async (): Promise<string> =>
    (await createPayment(service, scene)).body.payment_request.request_id as string;
  const report = (id: string, body: object): Promise<Answer> => reportPayment(service, scene, id, body);

  it.each([
    [{}, [['required', 'status']]],
    [{ status: 'paid' }, [['not_allowed', 'status']]],
    [{ status: 'broadcasted' }, [['required', 'transaction_hash']]],
    [{ status: 'confirmed' }, [['required', 'transaction_hash']]],
    [{ status: 'failed' }, [['required', 'reason']]],
    [{ status: 'broadcasted', transaction_hash: 'a b' }, [['malformed', 'transaction_hash']]],
    [{ status: 'broadcasted', transaction_hash: 'x'.repeat(201) }, [['too_long', 'transaction_hash']]],
    [{ status: 'broadcasted', transaction_hash: 7 }, [['wrong_type', 'transaction_hash']]],
    [{ status: 'failed', reason: 'x'.repeat(501) }, [['too_long', 'reason']]],
    [{ status: 'confirmed', transaction_hash: 'h', ledger: -1 }, [['out_of_range', 'ledger']]],
    [{ status: 'confirmed', transaction_hash: 'h', ledger: 1.5 }, [['wrong_type', 'ledger']]],
    [
      { status: 'failed', ledger: '7', transaction_hash: '' },
      [
        ['required', 'reason'],
        ['too_short', 'transaction_hash'],
        ['wrong_type', 'ledger'],
      ],
    ],
  ])('%j is malformed', async (body, expected) => {
    const answer = await report(await aRequest(), body);
    expect([refusal(answer), issues(answer).sort()]).toEqual([[400, 'validation_failed'], expected.sort()]);
  });

  it('that skips a step is refused with the current status, and changes nothing', async () => {
    const id = await aRequest();
    const before = (await readPayment(service, scene, id)).body;
    for (const body of [
      { status: 'broadcasted', transaction_hash: 'h' },
      { status: 'confirmed', transaction_hash: 'h' },
      { status: 'pending' },
      { status: 'expired' },
    ]) {
      const answer = await report(id, body);
      expect([refusal(answer), answer.body.error.details]).toEqual([
        [409, 'invalid_status_transition'],
        { current_status: 'pending' },
      ]);
    }
    expect((await readPayment(service, scene, id)).body).toEqual(before);
  });

  it('must confirm the transaction that was broadcast', async () => {
    const id = await aRequest();
    await report(id, { status: 'signed' });
    await report(id, { status: 'broadcasted', transaction_hash: 'one' });
    const answer = await report(id, { status: 'confirmed', transaction_hash: 'other' });
    expect([refusal(answer), issues(answer)]).toEqual([[400, 'validation_failed'], [['mismatch', 'transaction_hash']]]);
  });

  it('is answered like one on a request that does not exist if it comes from another wallet', async () => {
    const sameAgent = await connectAnotherWallet(service, scene);
    const unconnected = { device: await registerDevice(service) };
    const chosen = await createPayment(service, scene, { request_id: 'order-of-one-wallet' });
    expect(chosen.status).toBe(201);
    for (const id of [await aRequest(), 'order-of-one-wallet']) {
      const before = (await readPayment(service, scene, id)).body;
      for (const wallet of [sameAgent, unconnected]) {
        for (const more of [{}, { connection_id: scene.connection.connectionId }]) {
          const answer = await reportPayment(service, wallet, id, { status: 'signed', ...more });
          expect([id, more, refusal(answer)]).toEqual([id, more, [404, 'resource_not_found']]);
        }
      }
      expect((await readPayment(service, scene, id)).body).toEqual(before);
    }
  });

  it('may come with the device fields in the body', async () => {
    const { deviceId, token } = scene.device;
    const url = `${service.url}/v1/payment-requests/${await aRequest()}/status`;
    const answer = await call(url, { body: { device_id: deviceId, token, status: 'signed' } });
    expect([answer.status, answer.body.payment_request.status]).toEqual([200, 'signed']);
    expect(refusal(await call(url, { body: { device_id: deviceId, token: 'wrong', status: 'signed' } }))).toEqual([
      401,
      'invalid_token',
    ]);
  });
});
