import { StoreUnavailable } from '../../../src/platform/event-store/event-store.port';
import { aNewEvent, aStream } from '../../support/events';
import { follow } from '../../support/follow';
import { type Harness } from '../event-store.contract';
import { endOfLog } from './steps';

export function closing(open: () => Promise<Harness>): void {
  describe('closing', () => {
    it('ends subscriptions, and can be repeated safely', async () => {
      const { store, close } = await open();
      await expect(store.ping()).resolves.toBeUndefined();
      const follower = follow(store, await endOfLog(store));
      await follower.until(() => follower.caughtUp.length > 0);

      await Promise.all([store.close(), store.close()]);
      await expect(follower.ended).resolves.toBeUndefined();
      await store.close();
      await close();
    });

    it('makes the store report that it is unavailable', async () => {
      const { store, close } = await open();
      await store.close();
      await expect(store.ping()).rejects.toBeInstanceOf(StoreUnavailable);
      await expect(store.head()).rejects.toBeInstanceOf(StoreUnavailable);
      await expect(store.readStream(aStream())).rejects.toBeInstanceOf(StoreUnavailable);
      await expect(store.append(aStream(), 0, [aNewEvent()])).rejects.toBeInstanceOf(StoreUnavailable);
      await close();
    });
  });
}
