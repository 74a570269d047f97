import { type MerchantFeedEntry, merchantFeeds } from '../../../projections/merchant-feed.projection';
import { type Collection } from '../../platform/read-model/projection';
import { type DeliveryParts, type Own } from './delivery-parts';
import { LiveDeliveries } from './live-deliveries';

const own = { endpointId: 'whe_1', merchantId: 'mer_1', signal: new AbortController().signal } as unknown as Own;
const entry = {
  ...{ cursor: 1, type: 'payment_request.signed', stream: 'payment_request-pr_1', version: 2, event_id: 'evt_1' },
  receivers: ['whe_1'],
} as unknown as MerchantFeedEntry;

describe('live sending that ends', () => {
  it('is settled only when every item that waits behind another has its stream', async () => {
    let opened = (): void => undefined;
    const opening = new Promise<void>((done) => (opened = done));
    const parts = {
      feed: { entries: async () => [entry] },
      model: {
        get: async (collection: Collection<never>) =>
          (collection as unknown) === merchantFeeds
            ? { endpoints: [{ id: 'whe_1', reached: 0, outcomes: 0 }] }
            : undefined,
        // The lane is open; the delivery itself is not stored.
        load: async (refs: readonly { collection: { name: string } }[]) =>
          refs.map(({ collection: { name } }) =>
            name === 'webhook_lanes' ? { document: { waiting: [{ delivery_id: 'whd_0' }] } } : undefined,
          ),
      },
      outcomes: { newest: async () => 1n },
      projector: { progress: { position: 1n, passed: async () => undefined } },
      recording: { retryUntilRecorded: (_: string, write: () => Promise<unknown>) => write() },
      clock: { now: () => new Date(0) },
      commands: { run: () => opening.then(() => ({ position: 2n })) },
    } as unknown as DeliveryParts;
    const live = new LiveDeliveries(own, parts);
    await live.read();
    let isSettled = false;
    const settled = live.settled().then(() => (isSettled = true));
    await new Promise(setImmediate);
    expect(isSettled).toBe(false);
    opened();
    await settled;
    expect(live.open).toBe(0);
  });
});
