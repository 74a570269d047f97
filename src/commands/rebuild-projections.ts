import 'reflect-metadata';
import { projections } from '../../projections';
import { buildAuditIndex } from '../audit/build-index';
import { readConfig } from '../config';
import { openEventStore } from '../event-store/event-store.module';
import { systemClock } from '../kernel/clock';
import { networkNames } from '../networks';
import { Projector } from '../read-model/projector';
import { openReadModel } from '../read-model/read-model.module';
import { progressBar } from './progress-bar';

/** Drops every read model and plays the log again. Run it while the service is stopped. */
async function main(): Promise<void> {
  const config = readConfig(process.env, networkNames);
  const store = await openEventStore(config);
  try {
    const model = await openReadModel(config);
    try {
      const end = await store.head();
      const bar = progressBar('rebuilding read models');
      const quiet = { info: () => undefined, warn: () => undefined };
      const projector = new Projector(store, model, projections, systemClock, quiet);
      const applied = await projector.rebuild((count, position) => bar.show(count, position, end));
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
