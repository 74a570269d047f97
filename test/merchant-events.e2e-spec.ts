import { openEventStream } from './support/event-stream';
import { type Answer, call } from './support/http';
import { signUpMerchant } from './support/merchant';
import { describeOnEachPair } from './support/pairs';
import { createPayment, issues, refusal, reportPayment } from './support/payments';
import { activeEndpoint, startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver';
import { useScene } from './support/use-service';

const MEBIBYTE = 1024 * 1024;

type MerchantEvent = Readonly<{ cursor: number; type: string; data: Record<string, any> }>;

describeOnEachPair('the merchant’s feed', (start) => {
  let receiver: WebhookReceiver;

  const { service, dns, scene } = useScene({ start, env: { ALLOW_PRIVATE_NETWORKS: 'true' } });
  beforeAll(async () => {
    receiver = await startWebhookReceiver();
  });
  afterAll(() => receiver.close());

  const poll = (query = '', headers: Readonly<Record<string, string>> = scene.merchant.headers): Promise<Answer> =>
    call(`${service.url}/v1/events?${query}`, { headers });
  const eventsOf = ({ body }: Answer) => body.events as MerchantEvent[];
  const newest = async (): Promise<number> => (await poll()).body.newest_cursor as number;
  const newRequest = async (): Promise<string> =>
    (await createPayment(service, scene, { metadata: { 'a.b': { $order: 1 } } })).body.payment_request
      .request_id as string;

  it('counts from 1 without gaps, in the order of events', async () => {
    const id = await newRequest();
    await reportPayment(service, scene, id, { status: 'signed' });
    await reportPayment(service, scene, id, { status: 'failed', reason: 'too dear' });
    const { status, body } = await poll();
    expect(status).toBe(200);
    const events = body.events as MerchantEvent[];
    expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, index) => index + 1));
    expect(events.map(({ type }) => type)).toEqual([
      'merchant_domain.verified',
      'recipient.version_activated',
      'connection.created',
      'payment_request.created',
      'payment_request.signed',
      'payment_request.failed',
    ]);
    expect(events.at(-1)?.data).toMatchObject({ request_id: id, data: { reason: 'too dear' } });
    expect(body).toMatchObject({ next_cursor: 6, newest_cursor: 6, has_more: false });
    const [first, second] = [await poll('limit=3'), await poll('since=3&limit=3')];
    expect(first.body).toMatchObject({ next_cursor: 3, newest_cursor: 6, has_more: true });
    expect([...eventsOf(first), ...eventsOf(second)]).toEqual(events);
  });

  it('has the exact bytes that webhooks send', async () => {
    await activeEndpoint(service, scene.merchant, receiver.url);
    const since = await newest();
    const id = await newRequest();
    await reportPayment(service, scene, id, { status: 'signed' });
    await receiver.until(() => receiver.received.length === 2);
    const { text } = await poll(`since=${since}`);
    receiver.received.forEach(({ body }, index) => {
      expect(text).toContain(`{"cursor":${since + index + 1},${body.slice(1)}`);
    });
  });

  it('can be filtered by type, with unchanged numbers', async () => {
    const since = await newest();
    const id = await newRequest();
    await reportPayment(service, scene, id, { status: 'signed' });
    await newRequest();
    const signed = await poll(`since=${since}&types=payment_request.signed`);
    expect(eventsOf(signed).map(({ cursor, type }) => [cursor, type])).toEqual([[since + 2, 'payment_request.signed']]);
    expect(signed.body).toMatchObject({ next_cursor: since + 3, newest_cursor: since + 3, has_more: false });
    const both = await poll(`since=${since}&types=payment_request.signed,payment_request.created&limit=2`);
    expect(eventsOf(both).map(({ cursor }) => cursor)).toEqual([since + 1, since + 2]);
    expect(both.body).toMatchObject({ next_cursor: since + 2, has_more: true });
    // Waiting readers share pages, but only with those of the same filter.
    const filters = ['', '&types=payment_request.signed', '&types=payment_request.created'];
    const readers = await Promise.all(filters.map((filter) => poll(`since=${since}&wait=5${filter}`)));
    const seen = readers.map((reader) => eventsOf(reader).map(({ cursor }) => cursor - since));
    expect(seen).toEqual([[1, 2, 3], [2], [1, 3]]);
    for (const wrong of ['types=', 'types=nonsense', 'types=payment_request.signed,']) {
      expect(issues(await poll(wrong))).toEqual([['not_allowed', 'types']]);
    }
  });

  it('holds a response back until something of those types happens', async () => {
    const since = await newest();
    const waiting = poll(`since=${since}&wait=30&types=payment_request.signed`);
    const id = await newRequest();
    await reportPayment(service, scene, id, { status: 'signed' });
    expect(eventsOf(await waiting).map(({ type, data }) => [type, data['request_id']])).toEqual([
      ['payment_request.signed', id],
    ]);
    expect((await poll(`since=${since + 2}&wait=1`)).body).toMatchObject({ events: [], next_cursor: since + 2 });
  });

  it('ends a page at a mebibyte of what is sent, in whatever script it is written', async () => {
    const since = await newest();
    const note = '\u6f22'.repeat(20_000);
    const count = 25;
    for (let made = 0; made < count; made += 1) await createPayment(service, scene, { metadata: { note } });
    const sizes: number[] = [];
    const seen: number[] = [];
    for (let cursor = since; seen.length < count;) {
      const page = await poll(`since=${cursor}&limit=200`);
      sizes.push(Buffer.byteLength(page.text));
      seen.push(...eventsOf(page).map((event) => event.cursor));
      cursor = page.body.next_cursor as number;
    }
    expect(seen).toEqual(Array.from({ length: count }, (_, index) => since + index + 1));
    // A page is full once it has reached the limit, so its last entry may exceed it.
    expect(Math.max(...sizes)).toBeLessThan(MEBIBYTE + Buffer.byteLength(note) + 4_096);
  });

  it('is available as a stream, and resumes after the last id', async () => {
    const since = await newest();
    const { headers } = scene.merchant;
    const stream = await openEventStream(`${service.url}/v1/events?since=${since}`, headers);
    // The headers arrive before the service has looked where the feed ends.
    await stream.until(() => stream.typed('opened').length === 1);
    const id = await newRequest();
    await stream.until(() => stream.events.length === 1);
    expect(stream.events[0]).toMatchObject({
      id: String(since + 1),
      data: { cursor: since + 1, data: { request_id: id } },
    });
    expect(stream.typed('opened')).toEqual([{ since, newest_cursor: since }]);
    stream.close();
    const again = await openEventStream(`${service.url}/v1/events`, { ...headers, 'last-event-id': String(since) });
    await again.until(() => again.events.length === 1);
    expect(again.events[0]?.data).toEqual(eventsOf(await poll(`since=${since}`))[0]);
    again.close();
  });

  it('ends for a session that has ended', async () => {
    const other = await signUpMerchant(service, { dns });
    const stream = await openEventStream(`${service.url}/v1/events`, other.headers);
    await call(`${service.url}/v1/merchant-sessions/current`, { method: 'DELETE', headers: other.headers });
    await stream.ended;
    expect(refusal(await poll('', other.headers))[0]).toBe(401);
  });

  it('belongs to the merchant alone', async () => {
    const other = await signUpMerchant(service, { dns });
    const own = (await poll('', other.headers)).body;
    expect(own).toMatchObject({ newest_cursor: 1, has_more: false });
    expect(own.events).toMatchObject([{ type: 'merchant_domain.verified', data: { domain_id: other.domainId } }]);
    expect(refusal(await poll('', {}))).toEqual([401, 'unauthenticated']);
    expect(refusal(await poll('', scene.headers))[0]).toBe(401);
  });

  it('refuses an invalid cursor', async () => {
    for (const since of ['-1', '1.5', 'x', '9007199254740993']) {
      expect(issues(await poll(`since=${since}`))).toEqual([['out_of_range', 'since']]);
    }
    const far = (await poll(`since=${Number.MAX_SAFE_INTEGER}`)).body;
    expect(far).toMatchObject({ events: [], next_cursor: Number.MAX_SAFE_INTEGER, newest_cursor: await newest() });
  });
});
