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
      capacity: { leave: () => undefined },
      commands: { fold: () => (reads.push('endpoint'), found) },
      feed: { entries: noted('feed', []), length: noted('length', 0) },
      logger: { warn },
      model: { get: noted('model'), load: noted('model', []), find: noted('model', { documents: [], next: null }) },
      outcomes: { newest: noted('log', 1n) },
      projector: { progress: { position: 1n, passed: async () => undefined } },
      recording: { works: true },
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
