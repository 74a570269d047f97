import { type MerchantFeedEntry } from '../../../projections/merchant-feed.projection';
import { type DeliveryParts, type Own } from './delivery-parts';
import { type Target } from './delivery-attempts';
import { walkItem } from './feed-walk';
import { LaneOpenings } from './lane-openings';
import { RewindLane } from './rewind-lane';
import { type Attempt } from './webhook-delivery';

type Beside = ConstructorParameters<typeof RewindLane>[2];
const live = (openings: object = {}): Beside => ({ isPast: () => true, openings: openings as Beside['openings'] });
const own = { endpointId: 'whe_1', merchantId: 'mer_1', signal: new AbortController().signal } as unknown as Own;

describe('a rewind beside live sending', () => {
  it('waits behind a live delivery that was just refused, even if the read model does not show that yet', async () => {
    const rewind = { id: 'rwd_1', reached: 0, to_cursor: 1, types: null };
    const entry = { cursor: 1, type: 'payment_request.signed', stream: 'payment_request-pr_1', event_id: 'evt_1' };
    const run = jest.fn().mockResolvedValue({ position: 7n });
    const post = jest.fn();
    const parts = {
      feed: { entries: async () => [entry] },
      model: {
        find: async () => ({ documents: [rewind], next: null }),
        load: async () => [undefined],
        get: async () => undefined,
      },
      projector: { progress: { position: 5n } },
      recording: { retryUntilRecorded: (_: string, write: () => Promise<unknown>) => write() },
      clock: { now: () => new Date(0) },
      commands: { run },
      attempts: { post, record: async () => 6n },
    } as unknown as DeliveryParts;
    const openings = new LaneOpenings(own, parts);
    const first = walkItem({ ...entry, cursor: 0, event_id: 'evt_0' } as MerchantFeedEntry, own.endpointId);
    await openings.openFailed(first, {} as Attempt, {} as Target, null);
    const lane = new RewindLane(own, parts, live(openings), () => undefined);
    await lane.read();
    await lane.take()?.({} as Target, () => undefined);
    expect(post).not.toHaveBeenCalled();
    expect(run.mock.calls.map(([, , { kind }]) => kind)).toEqual(['open-waiting']);
  });
});

describe('a rewind of few types among many events', () => {
  it('lets all other senders continue while it searches', async () => {
    const rewind = { id: 'rwd_1', reached: 0, to_cursor: 100_000, types: ['payment_request.failed'] };
    // Answers like the embedded read model, without yielding to the event loop.
    const entries = async (_: string, since: number, limit: number): Promise<Partial<MerchantFeedEntry>[]> =>
      Array.from({ length: limit }, (_one, index) => ({ cursor: since + index + 1, type: 'payment_request.created' }));
    const parts = {
      feed: { entries },
      model: { find: async () => ({ documents: [rewind], next: null }) },
      outcomes: { record: async () => true },
    } as unknown as DeliveryParts;
    const lane = new RewindLane(own, parts, live(), () => undefined);
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    count();
    for (let more = true; more;) more = await lane.read();
    isOver = true;
    expect(turns).toBeGreaterThan(100);
  });
});

describe('a rewind whose last outcome cannot be recorded yet', () => {
  it('does not keep its endpoint from reading anything else, and goes on once it is recorded', async () => {
    const rewind = { id: 'rwd_1', reached: 0, to_cursor: 1, types: null };
    const entry = { cursor: 1, type: 'payment_request.signed', stream: 'payment_request-pr_1', event_id: 'evt_1' };
    let record: (done: boolean) => void = () => undefined;
    const recorded = new Promise<boolean>((done) => (record = done));
    const parts = {
      attempts: { textAgain: async () => '{}', post: async () => ({ succeeded: true, statusCode: 204 }) },
      capacity: { isLive: false },
      feed: { entries: async () => [entry] },
      model: { find: async () => ({ documents: [rewind], next: null }) },
      outcomes: { record: () => recorded },
      projector: { progress: { position: 5n } },
    } as unknown as DeliveryParts;
    const ready = jest.fn();
    const lane = new RewindLane(own, parts, live({ behindOthers: async () => new Set() }), ready);
    await lane.read();
    await lane.take()?.({} as Target, () => undefined);
    ready.mockClear();
    expect(await lane.read()).toBe(false);
    record(true);
    await lane.settled();
    await new Promise(setImmediate);
    expect(ready).toHaveBeenCalledTimes(1);
  });
});

describe('a rewind whose failure cannot be recorded yet', () => {
  it('takes no capacity from others meanwhile', async () => {
    const rewind = { id: 'rwd_1', reached: 0, to_cursor: 1, types: null };
    const entry = { cursor: 1, type: 'payment_request.signed', stream: 'payment_request-pr_1', event_id: 'evt_1' };
    const parts = {
      attempts: { textAgain: async () => '{}', post: async () => ({ succeeded: false, statusCode: 500 }) },
      feed: { entries: async () => [entry] },
      model: { find: async () => ({ documents: [rewind], next: null }) },
      projector: { progress: { position: 5n } },
    } as unknown as DeliveryParts;
    let recording: () => void = () => undefined;
    const isRecording = new Promise<void>((begun) => (recording = begun));
    const openFailed = () => (recording(), new Promise(() => undefined));
    const openings = { behindOthers: async () => new Set(), openFailed };
    const lane = new RewindLane(own, parts, live(openings), () => undefined);
    await lane.read();
    const answered = jest.fn();
    void lane.take()?.({} as Target, answered);
    await isRecording;
    expect(answered).toHaveBeenCalledWith('overloaded');
  });
});

describe('a rewind of a range', () => {
  const feed = [1, 2, 3, 4, 5].map((cursor) => ({
    ...{ cursor, type: cursor % 2 === 0 ? 'payment_request.signed' : 'payment_request.created' },
    ...{ stream: `payment_request-pr_${cursor}`, event_id: `evt_${cursor}` },
  }));

  it.each([
    ['everything', null, [2, 3, 4]],
    ['some types', ['payment_request.created'], [3]],
  ])('sends what is in it and nothing beyond, in order: %s', async (_, types, expected) => {
    const rewind = { id: 'rwd_1', reached: 1, to_cursor: 4, types };
    const sent: number[] = [];
    const reached: number[] = [];
    const parts = {
      attempts: {
        textAgain: async () => '{}',
        post: async (_target: Target, { cursor }: { cursor: number }) => (
          sent.push(cursor),
          { succeeded: true, statusCode: 204 }
        ),
      },
      capacity: { isLive: false },
      feed: { entries: async (_merchant: string, since: number) => feed.filter(({ cursor }) => cursor > since) },
      model: { find: async () => ({ documents: [rewind], next: null }) },
      outcomes: { record: async ({ reached: to }: { reached: number }) => (reached.push(to), true) },
      projector: { progress: { position: 5n } },
    } as unknown as DeliveryParts;
    const lane = new RewindLane(own, parts, live({ behindOthers: async () => new Set() }), () => undefined);
    for (let more = true; more;) {
      more = await lane.read();
      for (let job = lane.take(); job !== undefined; job = lane.take()) await job({} as Target, () => undefined);
    }
    await lane.settled();
    expect(await lane.read()).toBe(false);
    expect(sent).toEqual(expected);
    expect(reached.at(-1)).toBe(4);
  });
});
