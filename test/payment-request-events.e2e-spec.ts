import { pause } from '../src/kernel/pause';
import { NewsBell } from '../src/http/feeds/news-bell';
import { type DnsResponder } from './support/dns-responder';
import { openEventStream } from './support/event-stream';
import { call } from './support/http';
import {
  connectAnotherWallet,
  createPayment,
  issues,
  type PaymentScene,
  pollEvents,
  refusal,
  reportPayment,
  setPaymentScene,
  startPaymentDns,
} from './support/payments';
import { startTestService, type TestService } from './support/service';

describe('polled events', () => {
  let service: TestService;
  let dns: DnsResponder;
  let env: Readonly<Record<string, string>>;
  let scene: PaymentScene;

  beforeAll(async () => {
    ({ dns, env } = await startPaymentDns());
    service = await startTestService({ env });
    scene = await setPaymentScene(service, dns);
  });
  afterAll(async () => {
    await service.stopAndForget();
    await dns.close();
  });

  const waiting = async (count: number, of = service): Promise<void> => {
    while (of.app.get(NewsBell).waiters !== count) await pause(5);
  };
  const create = async (by = scene): Promise<string> =>
    (await createPayment(service, by)).body.payment_request.request_id as string;
  const end = async (by = scene): Promise<number> =>
    (await pollEvents(service, by, 'limit=200')).body.next_cursor as number;

  describe('by query', () => {
    it.each([
      '-1',
      '1.5',
      '1e3',
      '0x10',
      '',
      ' 5',
      '5 ',
      '+5',
      '07',
      '٣',
      'abc',
      '9007199254740992',
      '99999999999999999999',
      'NaN',
    ])('refuse the cursor %j', async (since) => {
      const answer = await pollEvents(service, scene, `since=${encodeURIComponent(since)}`);
      expect([refusal(answer), issues(answer)]).toEqual([[400, 'validation_failed'], [['out_of_range', 'since']]]);
    });
    it('refuse two cursors', async () => {
      expect(issues(await pollEvents(service, scene, 'since=0&since=1'))).toEqual([['repeated', 'since']]);
    });
    it.each(['limit=0', 'limit=201', 'limit=x', 'wait=31', 'wait=-1', 'wait=0.5'])('refuse %s', async (query) => {
      expect((await pollEvents(service, scene, query)).status).toBe(400);
    });
    it('come fifty at a time by default, like every list', async () => {
      const busy = await connectAnotherWallet(service, scene);
      for (let made = 0; made < 51; made += 1) await create(busy);
      const { body } = await pollEvents(service, busy, '');
      expect([body.events.length, body.next_cursor, body.newest_cursor, body.has_more]).toEqual([50, 50, 51, true]);
    });
    it('begin at the beginning by default, and accept the largest cursor', async () => {
      const [nothing, zero] = [
        await pollEvents(service, scene, ''),
        await pollEvents(service, scene, 'since=0&limit=200'),
      ];
      expect([nothing.status, nothing.body]).toEqual([200, zero.body]);
      const far = await pollEvents(service, scene, `since=${Number.MAX_SAFE_INTEGER}`);
      const { newest_cursor } = zero.body as { newest_cursor: number };
      const beyond = { next_cursor: Number.MAX_SAFE_INTEGER, newest_cursor, has_more: false };
      expect(far.body).toEqual({ ok: true, events: [], ...beyond });
    });
    it('are not available to wallets', async () => {
      expect(refusal(await pollEvents(service, scene.device, ''))).toEqual([401, 'unauthenticated']);
    });
    it('are those of the connection alone', async () => {
      const other = await connectAnotherWallet(service, scene);
      await create();
      expect((await pollEvents(service, other)).body.events).toEqual([]);
      const id = await create(other);
      expect((await pollEvents(service, other)).body.events).toEqual([
        expect.objectContaining({ cursor: 1, request_id: id }),
      ]);
    });
  });

  describe('with a long poll', () => {
    it('arrive as soon as there is one', async () => {
      const since = await end();
      const poll = pollEvents(service, scene, `since=${since}&wait=30`);
      await waiting(1);
      const id = await create();
      const { status, body } = await poll;
      expect([status, body.events]).toEqual([200, [expect.objectContaining({ cursor: since + 1, request_id: id })]]);
      expect(body).toMatchObject({ next_cursor: since + 1, has_more: false });
      await waiting(0);
    });
    it('arrive at once if there already is one', async () => {
      const since = await end();
      await create();
      expect((await pollEvents(service, scene, `since=${since}&wait=30`)).body.events).toHaveLength(1);
    });
    it('stay empty if none happens in time', async () => {
      const since = await end();
      const { status, body } = await pollEvents(service, scene, `since=${since}&wait=1`);
      const nothing = { ok: true, events: [], next_cursor: since, newest_cursor: since, has_more: false };
      expect([status, body]).toEqual([200, nothing]);
    });
    it('do not include another connection’s events', async () => {
      const other = await connectAnotherWallet(service, scene);
      const since = await end(other);
      const poll = pollEvents(service, other, `since=${since}&wait=1`);
      await waiting(1);
      await create();
      expect((await poll).body.events).toEqual([]);
    });
    it('are no longer waited for once the caller disconnects', async () => {
      const leaving = new AbortController();
      const url = `${service.url}/v1/payment-requests/events?since=${await end()}&wait=30`;
      const poll = fetch(url, { headers: scene.headers, signal: leaving.signal }).catch(() => 'left');
      await waiting(1);
      leaving.abort();
      expect(await poll).toBe('left');
      await waiting(0);
    });
    it('are answered at once when the service stops', async () => {
      const stopping = await startTestService({ env });
      const there = await setPaymentScene(stopping, dns);
      const polls = Array.from({ length: 50 }, () => pollEvents(stopping, there, 'since=0&wait=30'));
      await waiting(50, stopping);
      const [answers] = await Promise.all([Promise.all(polls), stopping.stopAndForget()]);
      expect(answers.map(({ status, body }) => [status, body.events])).toEqual(answers.map(() => [200, []]));
    });
    it('reach five hundred waiting callers', async () => {
      const since = await end();
      // One credential may have 512 long polls.
      const polls = Array.from({ length: 500 }, () => pollEvents(service, scene, `since=${since}&wait=30`));
      await waiting(500);
      const id = await create();
      const answers = await Promise.all(polls);
      const expected = [200, [expect.objectContaining({ cursor: since + 1, request_id: id })]];
      expect(answers.map(({ status, body }) => [status, body.events])).toEqual(answers.map(() => expected));
      await waiting(0);
    }, 60_000);
  });

  describe('as a stream', () => {
    const stream = (by = scene, query = '', headers = {}) =>
      openEventStream(`${service.url}/v1/payment-requests/events?${query}`, { ...by.headers, ...headers });

    it('are the same events, as they happen', async () => {
      const other = await connectAnotherWallet(service, scene);
      const first = await create(other);
      const reader = await stream(other);
      expect([reader.status, reader.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
      await reader.until(() => reader.events.length === 1);
      const second = await create(other);
      await reportPayment(service, other, first, { status: 'signed' });
      await reader.until(() => reader.events.length === 3);
      const polled = (await pollEvents(service, other)).body.events as { cursor: number; request_id: string }[];
      expect(reader.events.map(({ data }) => data)).toEqual(polled);
      expect(reader.events.map(({ id }) => id)).toEqual(['1', '2', '3']);
      expect(polled.map(({ request_id }) => request_id)).toEqual([first, second, first]);
      reader.close();
      await waiting(0);
    });
    it('resume after Last-Event-ID, which takes precedence over since', async () => {
      const last = await end();
      const reader = await stream(scene, 'since=0', { 'last-event-id': String(last - 1) });
      await reader.until(() => reader.events.length > 0);
      expect(reader.events.map(({ id }) => id)).toEqual([String(last)]);
      reader.close();
      const since = await stream(scene, `since=${last - 2}`);
      await since.until(() => since.events.length === 2);
      since.close();
    });
    it('refuse an invalid Last-Event-ID', async () => {
      const url = `${service.url}/v1/payment-requests/events`;
      const headers = { ...scene.headers, accept: 'text/event-stream', 'last-event-id': '0x1' };
      expect(issues(await call(url, { headers }))).toEqual([['out_of_range', 'last-event-id']]);
    });
    it('arrive page after page', async () => {
      const other = await connectAnotherWallet(service, scene);
      await Promise.all(Array.from({ length: 250 }, () => create(other)));
      const reader = await stream(other);
      await reader.until(() => reader.events.length === 250);
      expect(reader.events.map(({ id }) => id)).toEqual(Array.from({ length: 250 }, (_, index) => String(index + 1)));
      reader.close();
    });
    it('end when the service stops', async () => {
      const stopping = await startTestService({ env });
      const there = await setPaymentScene(stopping, dns);
      const reader = await openEventStream(`${stopping.url}/v1/payment-requests/events`, there.headers);
      await Promise.all([reader.ended, stopping.stopAndForget()]);
      expect(reader.status).toBe(200);
    });
    it('are sent as JSON to a caller that does not prefer a stream', async () => {
      for (const accept of ['*/*', 'application/json', 'application/json, text/event-stream;q=0.5']) {
        const answer = await call(`${service.url}/v1/payment-requests/events?limit=1`, {
          headers: { ...scene.headers, accept },
        });
        expect(answer.body.ok).toBe(true);
      }
    });
  });
});
