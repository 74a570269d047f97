import { eventStoreContract } from '../../../../test/contract/event-store.contract';
import { openBreakableEngine } from '../../../../test/support/eventstoredb/harness';
import { openEventStoreDb } from './eventstoredb-store';

eventStoreContract('eventstoredb', async () => {
  const engine = await openBreakableEngine();
  const store = await openEventStoreDb(engine.url);
  return {
    store,
    interrupt: async () => engine.proxy.cut(),
    close: async () => {
      await store.close();
      await engine.stop();
    },
  };
});
