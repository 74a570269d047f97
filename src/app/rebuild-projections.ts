import 'reflect-metadata';
import { projections } from '../../projections';
import { buildAuditIndex } from '../audit/log/build-index';
import { readConfig } from '../platform/config';
import { prepareDataDirectory } from './data-directory';
import { openEventStore } from '../platform/event-store/event-store.module';
import { systemClock } from '../kernel/clock';
import { pause } from '../kernel/pause';
import { networkNames } from '../networks';
import { Leadership, SILENT_FOR_MS, systemClocks } from '../platform/reacting/leadership';
import { SocketNeighbours } from '../platform/reacting/neighbours';
import { Projector } from '../platform/projecting/projector';
import { openReadModel } from '../platform/read-model/read-model.module';
import { progressBar } from '../platform/logging/progress-bar';

const quiet = { info: () => undefined, warn: () => undefined };
/** What a service that was killed left behind is free after this. */
const PATIENCE_MS = SILENT_FOR_MS + 3_000;

/** Takes the lease, so that no instance writes beside this, nor starts to. */
async function untilLeading(leadership: Leadership): Promise<void> {
  await leadership.start();
  const deadline = performance.now() + PATIENCE_MS;
  while (!leadership.leads()) {
    if (performance.now() > deadline) {
      await leadership.stop();
      throw new Error('an instance of the service is running on this read store: stop it first');
    }
    await pause(100);
  }
}

/** Drops every read model and plays the log again. Run it while the service is stopped. */
async function main(): Promise<void> {
  const config = readConfig(process.env, networkNames);
  prepareDataDirectory(config);
  const store = await openEventStore(config);
  try {
    const model = await openReadModel(config);
    try {
      const leadership = new Leadership(model.lease, quiet, systemClocks, new SocketNeighbours(config.dataDir));
      await untilLeading(leadership);
      const end = await store.head();
      const bar = progressBar('rebuilding read models');
      const projector = new Projector(store, model, projections, systemClock, quiet, () => leadership.leads());
      const applied = await projector.rebuild((count, position) => bar.show(count, position, end));
      await leadership.stop();
      bar.done(`${applied} events applied`);
      await buildAuditIndex(store, model);
    } finally {
      await model.close();
    }
  } finally {
    await store.close();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`svc: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
