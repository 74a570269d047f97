import { type ConnectionId, idFor } from '../src/kernel/aggregates';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { createPayment, type PaymentScene, setPaymentScene } from './support/payments';
import { useServiceWithDns } from './support/use-service';

describeOnEachPair('a search for payment requests', (start) => {
  const { service, dns } = useServiceWithDns({ start });
  let own: PaymentScene;
  let foreign: PaymentScene;
  beforeAll(async () => {
    [own, foreign] = await Promise.all([setPaymentScene(service, dns), setPaymentScene(service, dns)]);
  });
  const search = (query: Record<string, string>) =>
    call(`${service.url}/v1/payment-requests?${new URLSearchParams(query).toString()}`, {
      headers: own.merchant.headers,
    });
  const ids = (body: any): string[] => body.payment_requests.map((one: any) => one.request_id as string);

  it('does not reveal whether another tenant has a request with that id, nor since when', async () => {
    const { connectionId } = foreign.connection;
    const theirs = idFor.requestOfKey(connectionId as ConnectionId, 'made');
    const nobodys = idFor.requestOfKey(connectionId as ConnectionId, 'not made');
    for (const id of [theirs, nobodys]) await createPayment(service, own, { transaction_id: id });
    const made = await createPayment(service, foreign, {}, { 'idempotency-key': 'made' });
    expect(made.body.payment_request.request_id).toBe(theirs);

    const [exists, absent] = await Promise.all([theirs, nobodys].map((q) => search({ q, limit: '1' })));
    const cursor = exists?.body.next_cursor as string | null;
    const told = cursor === null ? '' : Buffer.from(cursor, 'base64url').toString();
    expect(told).not.toContain(made.body.payment_request.created_at);
    const shape = (body: any) => [body.payment_requests.length, body.next_cursor];
    expect(shape(exists?.body)).toEqual(shape(absent?.body));
  });

  it('skips none, even if a page of one index ends at its size limit', async () => {
    const name = 'order-big';
    const made: string[] = [];
    // The oldest request has the name as its key; the others, which are large, have it as their transaction.
    made.push((await createPayment(service, own, { idempotency_key: name })).body.payment_request.request_id);
    const metadata = { filler: 'x'.repeat(50_000) };
    for (let at = 0; at < 15; at += 1)
      made.push(
        (await createPayment(service, own, { transaction_id: name, metadata })).body.payment_request.request_id,
      );
    const found: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const { body } = await search({ q: name, limit: '200', ...(cursor ? { cursor } : {}) });
      found.push(...ids(body));
      cursor = body.next_cursor as string | null;
    }
    expect(found.length).toBe(made.length);
    expect(new Set(found)).toEqual(new Set(made));
  });

  it('is continued by its own cursors only: not by those of another list, other filters or another caller', async () => {
    const list = (path: string, headers: Record<string, string> = own.merchant.headers) =>
      call(`${service.url}/v1/${path}`, { headers });
    for (let made = 0; made < 2; made += 1) await createPayment(service, own, {});
    const [created_from, same] = ['2020-01-01T00:00:00Z', '2020-01-01T01:00:00.000%2B01:00'];
    const first = await list(`payment-requests?status=pending&created_from=${created_from}&limit=1`);
    const cursor = String(first.body.next_cursor);
    const next = await list(`payment-requests?limit=200&created_from=${same}&cursor=${cursor}&status=pending`);
    expect([next.status, ids(next.body).includes(ids(first.body)[0] ?? '')]).toEqual([200, false]);

    const elsewhere = [
      `payment-requests?status=signed&created_from=${created_from}&`,
      'payment-requests?status=pending&',
      'payment-requests?q=order-big&',
      'agents?',
      'recipients?',
      'connections?',
      'webhook-deliveries?',
      'webhook-deliveries?subject_id=any&',
      'webhook-endpoints?',
      'merchant-domains?',
      'api-keys?',
      'merchant-sessions?',
      'audit/checkpoints?',
      'agent-payments?',
      'agent-payments?transaction_hash=any&',
      'automation-policies?',
    ];
    const refused = await Promise.all([
      ...elsewhere.map((path) => list(`${path}cursor=${cursor}`)),
      list(`payment-requests?status=pending&created_from=${created_from}&cursor=${cursor}`, foreign.merchant.headers),
      list(`payees?cursor=${cursor}`, own.headers),
      list(`connect-invitations?cursor=${cursor}`, own.device.headers),
    ]);
    const told = { code: 'validation_failed', message: expect.stringContaining('cursor: must be') };
    for (const { status, body } of refused) expect([status, body.error]).toEqual([400, expect.objectContaining(told)]);
  });

  it('refuses a time range that ends before it begins, along with everything else that is wrong', async () => {
    const [created_from, created_to] = ['2030-01-02T00:00:00+01:00', '2030-01-01T22:59:59Z'];
    const { status, body } = await search({ created_from, created_to, limit: '0' });
    expect([status, body.error.issues]).toEqual([
      400,
      [
        expect.objectContaining({ field: 'limit' }),
        { code: 'out_of_order', field: 'created_to', message: 'must not be earlier than created_from' },
      ],
    ]);
    expect((await search({ created_from, created_to: '2030-01-01T23:00:00Z' })).status).toBe(200);
    // One that is no time at all is the only problem.
    expect((await search({ created_from: 'x', created_to })).body.error.issues).toHaveLength(1);
  });

  it('accepts a leap second, as every other time does', async () => {
    const { status } = await search({ created_from: '2016-12-31T23:59:60Z' });
    expect(status).toBe(200);
  });
});
