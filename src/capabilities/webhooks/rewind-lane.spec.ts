import { type MerchantFeedEntry } from '../../../projections/merchant-feed.projection';
import { type DeliveryParts, type Own } from './delivery-parts';
import { RewindLane } from './rewind-lane';

describe('a rewind of few types among many events', () => {
  it('lets the senders of all others go on while it searches', async () => {
    const rewind = { id: 'rwd_1', reached: 0, to_cursor: 100_000, types: ['payment_request.failed'] };
    // As the embedded read model answers: without waiting for anything.
    const entries = async (_: string, since: number, limit: number): Promise<Partial<MerchantFeedEntry>[]> =>
      Array.from({ length: limit }, (_one, index) => ({ cursor: since + index + 1, type: 'payment_request.created' }));
    const parts = {
      feed: { entries },
      model: { find: async () => ({ documents: [rewind], next: null }) },
      outcomes: { record: async () => true },
    } as unknown as DeliveryParts;
    const own = { endpointId: 'whe_1', merchantId: 'mer_1', signal: new AbortController().signal } as unknown as Own;
    const lane = new RewindLane(own, parts, () => undefined);
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
