import { leafHash } from '../src/audit/proofs';
import { hashOfEvent } from '../src/audit/tree/hashing';
import { EVENT_STORE, type EventStore, LOG_START } from '../src/platform/event-store/event-store.port';
import { allAuditEvents, auditEvents } from './support/audit';
import { PAGE_BYTES } from '../src/http/input/page-bytes';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { createPayment, type PaymentScene, reportPayment, setPaymentScene } from './support/payments';
import { useServiceWithDns } from './support/use-service';

describeOnEachPair('the audit events that a merchant reads over HTTP', (start) => {
  let scene: PaymentScene;
  let other: PaymentScene;
  let requestId: string;

  // Each reading of the clock differs, as on a busy machine.
  let looks = 0;
  const clock = { now: () => new Date(Date.now() + (looks += 1)) };
  const { service, dns } = useServiceWithDns({ start, clock });
  beforeAll(async () => {
    [scene, other] = await Promise.all([setPaymentScene(service, dns), setPaymentScene(service, dns)]);
    const { body } = await createPayment(service, scene);
    requestId = body['payment_request'].request_id as string;
    await createPayment(service, other);
    await reportPayment(service, scene, requestId, { status: 'signed' });
    await reportPayment(service, scene, requestId, { status: 'failed', reason: 'reverted' });
  });

  it('are the merchant’s own part of the log, numbered without gaps', async () => {
    const events = await allAuditEvents(service, scene.merchant, 'PaymentRequestFailed');
    expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, index) => index + 1));
    const types = events.map(({ event }) => event.type as string);
    expect(types).toEqual(
      expect.arrayContaining([
        'MerchantCreated',
        'MerchantDomainVerified',
        'RecipientVersionActivated',
        'AgentCredentialActivated',
        'ConnectionCreated',
        'PaymentRequestCreated',
        'PaymentRequestSigned',
        'PaymentRequestFailed',
      ]),
    );
    const text = JSON.stringify(events);
    const { device, merchant } = scene;
    const members = ['"token_hash"', '"challenge_hash"', '"email_sealed"', '"device_id"'];
    for (const hidden of [device.deviceId, merchant.email, other.merchant.merchantId, ...members]) {
      expect([hidden, text.includes(hidden)]).toEqual([hidden, false]);
    }
  });

  it('are the exact leaves of the transparency log', async () => {
    const events = await allAuditEvents(service, scene.merchant, 'PaymentRequestFailed');
    const log = await service.app.get<EventStore>(EVENT_STORE).readAll(LOG_START, 1_000);
    for (const { leaf_index, event } of events) {
      const stored = log[leaf_index];
      expect([event.stream, event.version]).toEqual([stored?.stream, stored?.version]);
      expect(Buffer.from(leafHash(event))).toEqual(hashOfEvent(stored as never));
    }
  });

  it('come in pages that begin where the previous one ended', async () => {
    const all = await allAuditEvents(service, scene.merchant, 'PaymentRequestFailed');
    const paged: unknown[] = [];
    for (let since = 0; ;) {
      const { body } = await auditEvents(service, scene.merchant, `?since=${since}&limit=4`);
      paged.push(...(body['events'] as unknown[]));
      expect(body['next_cursor']).toBe(paged.length);
      since = body['next_cursor'] as number;
      if (body['has_more'] !== true) break;
    }
    expect(paged.slice(0, all.length)).toEqual(all);
    const beyond = await auditEvents(service, scene.merchant, '?since=100000');
    const newest_cursor = paged.length;
    expect(beyond.body).toMatchObject({ events: [], next_cursor: 100000, newest_cursor, has_more: false });
  });

  it('come fifty at a time by default, like every list', async () => {
    for (let made = 0; made < 50; made += 1)
      await createPayment(service, other, { payment: { amount: `${made + 1}` } });
    await allAuditEvents(service, other.merchant, 51);
    const { body } = await auditEvents(service, other.merchant);
    expect([(body['events'] as unknown[]).length, body['next_cursor'], body['has_more']]).toEqual([50, 50, true]);
  });

  it('come in pages that end at their size in bytes, in whatever script they are written', async () => {
    const note = '\u6f22'.repeat(20_000);
    for (let made = 0; made < 15; made += 1) await createPayment(service, other, { metadata: { note } });
    // The feed shows an event a little after its answer, and fewer than two hundred in all: only size can end a page.
    const first = await eventually(
      () => auditEvents(service, other.merchant, '?limit=200'),
      ({ body }) => body['has_more'] === true,
      'a page that ends at its size',
    );
    // A page is full once it has reached the limit, so its last event may exceed it.
    expect((first.body['events'] as unknown[]).length).toBeLessThan(200);
    const size = Buffer.byteLength(first.text);
    expect(size).toBeGreaterThan(PAGE_BYTES);
    expect(size).toBeLessThan(PAGE_BYTES + 2 * Buffer.byteLength(note));
  });

  it.each(['?since=-1', '?since=1.5', '?since=0x1', '?limit=0', '?limit=201', '?since=1&since=2'])(
    'refuse %s',
    async (query) => expect((await auditEvents(service, scene.merchant, query)).status).toBe(400),
  );

  it('require the merchant’s session', async () => {
    for (const by of [{ headers: {} }, scene, scene.device]) {
      expect((await auditEvents(service, by)).status).toBe(401);
    }
  });

  describe('a record at an earlier time', () => {
    const at = async (path: string, moment: string) =>
      call(`${service.url}/v1/${path}?as_of=${encodeURIComponent(moment)}`, { headers: scene.merchant.headers });
    const momentOf = async (type: string): Promise<string> => {
      const events = await allAuditEvents(service, scene.merchant, 'PaymentRequestFailed');
      return events.find(({ event }) => event.type === type).event.metadata.occurred_at as string;
    };

    it('shows a payment request before it was signed, and after', async () => {
      const path = `payment-requests/${requestId}`;
      const created = await at(path, await momentOf('PaymentRequestCreated'));
      expect(created.body['payment_request']).toMatchObject({ status: 'pending', version: 1, is_final: false });
      const signed = await at(path, await momentOf('PaymentRequestSigned'));
      expect(signed.body['payment_request']).toMatchObject({ status: 'signed', version: 2 });
      const now = await call(`${service.url}/v1/${path}`, { headers: scene.merchant.headers });
      expect(now.body['payment_request']).toMatchObject({ status: 'failed', reason: 'reverted' });
      expect((await at(path, '2100-01-01T00:00:00Z')).body).toEqual(now.body);
      expect((await at(path, '2020-01-01T00:00:00Z')).status).toBe(404);
      expect((await at(path, 'yesterday')).status).toBe(400);
    });

    it('shows a recipient before its version was activated', async () => {
      const path = `recipients/${scene.recipient.recipientId}`;
      const verified = await at(path, await momentOf('RecipientVersionVerified'));
      expect(verified.body['recipient'].versions[0]).toMatchObject({ status: 'verified', activated_at: null });
      const activated = await at(path, await momentOf('RecipientVersionActivated'));
      expect(activated.body['recipient'].versions[0].status).toBe('active');
    });

    it('agrees with the times that the record states', async () => {
      const { body: made } = await createPayment(service, scene);
      const { request_id: id, created_at } = made['payment_request'] as { request_id: string; created_at: string };
      await reportPayment(service, scene, id, { status: 'signed' });
      const path = `payment-requests/${id}`;
      const { body } = await call(`${service.url}/v1/${path}`, { headers: scene.merchant.headers });
      const { updated_at } = body['payment_request'] as { updated_at: string };
      expect((await at(path, created_at)).body['payment_request']).toMatchObject({ status: 'pending' });
      expect((await at(path, updated_at)).body['payment_request']).toMatchObject({ status: 'signed', updated_at });
    });

    it('is not available to another merchant', async () => {
      const headers = other.merchant.headers;
      for (const path of [`payment-requests/${requestId}`, `recipients/${scene.recipient.recipientId}`]) {
        expect((await call(`${service.url}/v1/${path}?as_of=2100-01-01T00:00:00Z`, { headers })).status).toBe(404);
      }
    });
  });
});
