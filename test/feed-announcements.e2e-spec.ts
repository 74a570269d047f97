import { FollowedSubjects } from '../src/capabilities/webhooks/followed-subjects';
import { EVENT_STORE, type EventStore, StoreUnavailable } from '../src/platform/event-store/event-store.port';
import { RecentlyUsed } from '../src/kernel/recently-used';
import { eventually } from './support/eventually';
import { call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { createPayment, reportPayment } from './support/payments';
import { useScene } from './support/use-service';

describeOnEachPair('a feed whose announcement failed', (start) => {
  const { service, scene } = useScene({ start });
  afterEach(() => jest.restoreAllMocks());
  type Page = { events: { cursor: number }[]; newest_cursor: number };

  const missed = async (
    url: string,
    headers: Record<string, string>,
    breakOnce: () => Promise<{ broken: () => number }>,
  ) => {
    const read = async (query: string) =>
      (await call(`${service.url}${url}?${query}`, { headers })).body as never as Page;
    const { newest_cursor: since } = await read('limit=1');
    // A long poll, as readers use it.
    expect((await read(`since=${since}&wait=1`)).events).toEqual([]);
    const { broken } = await breakOnce();
    await eventually(
      async () => broken(),
      (count) => count === 1,
      'a failed announcement',
    );
    jest.restoreAllMocks();
    expect(broken()).toBe(1);
    const atOnce = (await read(`since=${since}`)).events.length;
    const waiting = [
      (await read(`since=${since}&wait=1`)).events.length,
      (await read(`since=${since}&wait=1`)).events.length,
    ];
    return { atOnce, waiting };
  };

  it('shows the event to the next long poll', async () => {
    const { body } = await createPayment(service, scene, { idempotency_key: 'one' });
    const { atOnce, waiting } = await missed('/v1/events', scene.merchant.headers, async () => {
      // As after a restart: the merchant of a connection is not cached and has to be read.
      const subjects = service.app.get(FollowedSubjects);
      Object.assign(subjects, { merchantOfConnection: new RecentlyUsed(10) });
      const store = service.app.get<EventStore>(EVENT_STORE);
      const read = store.readStream.bind(store);
      let count = 0;
      jest.spyOn(store, 'readStream').mockImplementation(async (...args) => {
        const isAnnouncement = args[0].startsWith('payment_request-') && args[1] === 0 && args[2] === 1;
        if (isAnnouncement && (count += 1) === 1) throw new StoreUnavailable('unknown');
        return read(...args);
      });
      await reportPayment(service, scene, body['payment_request'].request_id as string, { status: 'signed' });
      return { broken: () => count };
    });
    expect({ atOnce, waiting }).toEqual({ atOnce: 1, waiting: [1, 1] });
  });
});
