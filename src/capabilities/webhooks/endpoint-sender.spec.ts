import { eventually } from '../../../test/support/eventually';
import { type DeliveryParts, type Own } from './delivery-parts';
import { EndpointSender } from './endpoint-sender';

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

describe('a sender that is closed while it reads', () => {
  const own = { endpointId: 'whe_1', merchantId: 'mer_1', signal: new AbortController().signal } as unknown as Own;
  const warn = jest.fn();
  let reads: string[];
  let answer: (found: unknown) => void;
  let refuse: (reason: Error) => void;
  let sender: EndpointSender;
  let closed: boolean;
  let closing: Promise<void>;

  beforeEach(async () => {
    reads = [];
    warn.mockClear();
    const found = new Promise((resolve, reject) => ([answer, refuse] = [resolve, reject]));
    const noted = (name: string, result?: unknown) => async () => (reads.push(name), result);
    const parts = {
      capacity: { forget: () => undefined },
      commands: { fold: () => (reads.push('endpoint'), found) },
      feed: { entries: noted('feed', []), length: noted('length', 0) },
      logger: { warn },
      model: { get: noted('model'), load: noted('model', []), find: noted('model', { documents: [], next: null }) },
      outcomes: { newest: noted('log', 1n) },
      projector: { progress: { position: 1n, passed: async () => undefined } },
      recording: { isWorking: true },
      shares: { keeps: () => true },
    } as unknown as DeliveryParts;
    sender = new EndpointSender(own, parts);
    sender.wake();
    closed = false;
    closing = sender.close().then(() => void (closed = true));
    await turn();
  });

  it('is closed when that read has ended, and reads nothing after it', async () => {
    expect([reads, closed]).toEqual([['endpoint'], false]);
    answer({ state: { status: 'active' } });
    await closing;
    await turn();
    expect(reads).toEqual(['endpoint']);
  });

  it('says nothing of a read that failed because it was closed', async () => {
    refuse(new Error('the event store was closed'));
    await closing;
    await turn();
    expect([closed, warn.mock.calls]).toEqual([true, []]);
  });
});

describe('a sender whose endpoint was switched off', () => {
  it('is not done before what a rewind has sent is recorded: another would send it again', async () => {
    const entry = {
      cursor: 1,
      type: 'payment_request.signed',
      stream: 'payment_request-pr_1',
      event_id: 'evt_1',
      receivers: [],
    };
    const rewind = { id: 'rwd_1', reached: 0, to_cursor: 1, types: null };
    let status = 'active';
    let record: (done: boolean) => void = () => undefined;
    const recorded = new Promise<boolean>((done) => (record = done));
    const recording = jest.fn(() => recorded);
    const parts = {
      attempts: { textAgain: async () => '{}', post: async () => ({ succeeded: true, statusCode: 204 }) },
      capacity: { isAvailableFor: () => true, acquire: () => () => undefined, isLive: false },
      clock: { now: () => new Date(0) },
      commands: { fold: async () => ({ state: { status } }) },
      feed: { entries: async (_: string, since: number) => (since < 1 ? [entry] : []) },
      model: {
        find: async ({ name }: { name: string }) => ({
          documents: name === 'webhook_rewinds' ? [rewind] : [],
          next: null,
        }),
        get: async () => ({ endpoints: [{ id: 'whe_1', reached: 0, outcomes: 0 }] }),
        load: async () => [],
      },
      outcomes: { newest: async () => 1n, record: recording },
      projector: { progress: { position: 1n, passed: async () => undefined } },
      recording: { isWorking: true },
      shares: { keeps: () => true },
    } as unknown as DeliveryParts;
    const own = { endpointId: 'whe_1', merchantId: 'mer_1', signal: new AbortController().signal } as unknown as Own;
    const sender = new EndpointSender(own, parts);
    sender.wake();
    await eventually(async () => recording.mock.calls.length, Boolean, 'the outcome of a rewind');
    status = 'disabled';
    sender.endpointChanged();
    for (let turns = 0; turns < 10; turns += 1) await turn();
    expect(sender.isDone).toBe(false);
    record(true);
    await eventually(async () => sender.isDone, Boolean, 'the sender to be done');
  });
});
