import { eventStoreContract } from '../../../../test/contract/event-store.contract';
import { ENGINE_KINDS, openBreakableEngine } from '../../../../test/support/eventstoredb/harness';
import { openEventStoreDb } from './eventstoredb-store';

/** Divided among the engines: what is ours is the same for all of them. */
const INTERLEAVINGS = 30;

for (const kind of ENGINE_KINDS)
  eventStoreContract(
    kind,
    async () => {
      const engine = await openBreakableEngine(kind);
      const store = await openEventStoreDb(engine.url);
      return {
        store,
        interrupt: async () => engine.proxy.cut(),
        close: async () => {
          await store.close();
          await engine.stop();
        },
      };
    },
    INTERLEAVINGS / ENGINE_KINDS.length,
  );
