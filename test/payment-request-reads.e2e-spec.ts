import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { createPayment, paymentInput, readPayment, refusal, reportPayment, setPaymentScene } from './support/payments';
import { useScene } from './support/use-service';

describeOnEachPair('reading payment requests', (start) => {
  const { service, dns, scene } = useScene({ start });

  it('lists them for each side, by status and page by page', async () => {
    const other = await setPaymentScene(service, dns);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      ids.push((await createPayment(service, other)).body.payment_request.request_id as string);
    }
    await reportPayment(service, other, ids[1] ?? '', { status: 'signed' });
    await reportPayment(service, other, ids[3] ?? '', { status: 'signed' });
    const list = async (headers: Readonly<Record<string, string>>, query: string): Promise<string[]> => {
      const seen: string[] = [];
      for (let cursor = ''; ;) {
        const { status, body } = await call(`${service.url}/v1/payment-requests?${query}${cursor}`, { headers });
        expect(status).toBe(200);
        seen.push(...(body.payment_requests as { request_id: string }[]).map(({ request_id }) => request_id));
        if (body.next_cursor === null) return seen;
        cursor = `&cursor=${body.next_cursor}`;
      }
    };
    for (const { headers } of [other, other.device]) {
      expect((await list(headers, 'limit=2')).sort()).toEqual([...ids].sort());
      expect((await list(headers, 'limit=1&status=signed')).sort()).toEqual([ids[1], ids[3]].sort());
      expect(await list(headers, 'status=confirmed')).toEqual([]);
    }
    const { deviceId, token } = other.device;
    const inQuery = await call(`${service.url}/v1/payment-requests?device_id=${deviceId}&token=${token}&status=signed`);
    expect(inQuery.body.payment_requests).toHaveLength(2);
  });

  it('shows the merchant its agent’s context as the wallet sees it, but no agent or other merchant', async () => {
    const transaction_id = 'order-17';
    const tell = (title: string) =>
      call(`${service.url}/v1/transaction-contexts`, {
        headers: scene.headers,
        body: { transaction_id, title, items: [{ label: 'Coffee', value: '2' }] },
      });
    const { body: told } = await tell('Two coffees');
    const { body } = await createPayment(service, scene, { transaction_id });
    const id = body.payment_request.request_id as string;
    const contextFor = async (by: { headers: Readonly<Record<string, string>> }) => {
      const { status, body: read } = await readPayment(service, by, id);
      return { status, transaction_context: read.transaction_context, newer_revision: read.newer_revision };
    };
    const first = { status: 200, transaction_context: told.transaction_context };
    expect(await contextFor(scene.merchant)).toEqual(first);
    await tell('Three coffees');
    const pinned = { ...first.transaction_context, newer_revision: 2 };
    expect(await contextFor(scene.merchant)).toEqual({ ...first, transaction_context: pinned, newer_revision: 2 });
    expect(await contextFor(scene.merchant)).toEqual(await contextFor(scene.device));
    expect(await contextFor(scene)).toEqual({ status: 200 });
    const stranger = await setPaymentScene(service, dns);
    expect(await contextFor(stranger.merchant)).toEqual({ status: 404 });
    // Notices are only for the person who decides.
    const { body: seen } = await readPayment(service, scene.merchant, id);
    expect(Object.keys(seen).sort()).toEqual(['newer_revision', 'ok', 'payment_request', 'transaction_context']);
  });

  it('answers for those of others as for those that do not exist', async () => {
    const { body } = await createPayment(service, scene);
    const id = body.payment_request.request_id as string;
    const stranger = await setPaymentScene(service, dns);
    const headersOf = (headers: Readonly<Record<string, string>>) => ({ ...headers, 'x-request-id': 'same' });
    const ask = (headers: Readonly<Record<string, string>>, requestId: string) =>
      call(`${service.url}/v1/payment-requests/${requestId}`, { headers: headersOf(headers) });
    const report = (requestId: string) =>
      call(`${service.url}/v1/payment-requests/${requestId}/status`, {
        headers: headersOf(stranger.device.headers),
        body: { status: 'signed' },
      });
    for (const requestId of [id, 'pr_01JZZZZZZZZZZZZZZZZZZZZZZZ']) {
      const answers = [
        await ask(stranger.headers, requestId),
        await ask(stranger.device.headers, requestId),
        await report(requestId),
      ];
      expect(answers.map(refusal)).toEqual(answers.map(() => [404, 'resource_not_found']));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    }
    const foreign = await call(`${service.url}/v1/payment-requests`, {
      headers: headersOf(stranger.headers),
      body: paymentInput(scene),
    });
    const random = await call(`${service.url}/v1/payment-requests`, {
      headers: headersOf(stranger.headers),
      body: paymentInput(scene, { recipient_id: 'rcp_01JZZZZZZZZZZZZZZZZZZZZZZZ' }),
    });
    expect([refusal(foreign), foreign.text]).toEqual([[404, 'resource_not_found'], random.text]);
  });
});
