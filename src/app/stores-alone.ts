import { type Config } from '../platform/config';
import { openEventStore } from '../platform/event-store/open-event-store';
import { type EventStore } from '../platform/event-store/event-store.port';
import { pause } from '../kernel/pause';
import { Leadership } from '../platform/reacting/leadership';
import { TAKEOVER_AFTER_MS, systemClocks } from '../platform/reacting/lease-loop';
import { SocketNeighbours } from '../platform/reacting/neighbours';
import { openReadModel } from '../platform/read-model/read-model.module';
import { type ReadModelStore } from '../platform/read-model/read-model.port';
import { prepareDataDirectory } from './data-directory';

export const quiet = { info: () => undefined, warn: () => undefined };
/** Long enough for the lease of a killed service to expire. */
const LEASE_TIMEOUT_MS = TAKEOVER_AFTER_MS + 3_000;

export type StoresAlone = Readonly<{ store: EventStore; model: ReadModelStore; isStillAlone: () => boolean }>;

/**
 * For commands that must not run beside an instance of the service: with embedded stores the directory lock prevents
 * it; otherwise the command takes the lease on the background work, so that no instance does that work meanwhile.
 */
export async function withStoresAlone<T>(config: Config, work: (alone: StoresAlone) => Promise<T>): Promise<T> {
  prepareDataDirectory(config);
  const store = await openEventStore(config);
  try {
    const model = await openReadModel(config);
    try {
      const leadership = new Leadership(model.lease, quiet, systemClocks, new SocketNeighbours(config.dataDir));
      await untilLeading(leadership);
      try {
        return await work({ store, model, isStillAlone: () => leadership.leads() });
      } finally {
        await leadership.stop();
      }
    } finally {
      await model.close();
    }
  } finally {
    await store.close();
  }
}

async function untilLeading(leadership: Leadership): Promise<void> {
  await leadership.start();
  const deadline = performance.now() + LEASE_TIMEOUT_MS;
  while (!leadership.leads()) {
    if (performance.now() > deadline) {
      await leadership.stop();
      throw new Error('an instance of the service is running on this read store: stop it first');
    }
    await pause(100);
  }
}
