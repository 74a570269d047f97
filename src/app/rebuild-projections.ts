import 'reflect-metadata';
import { projections } from '../../projections';
import { buildAuditIndex } from '../audit/log/build-index';
import { readConfig } from '../platform/config';
import { systemClock } from '../kernel/clock';
import { networkNames } from '../networks';
import { Projector } from '../platform/projecting/projector';
import { progressBar } from '../platform/logging/progress-bar';
import { quiet, withStoresAlone } from './stores-alone';

/** Drops every read model and replays the log. Run it while the service is stopped. */
async function main(): Promise<void> {
  const config = readConfig(process.env, networkNames);
  await withStoresAlone(config, async ({ store, model, isStillAlone }) => {
    const end = await store.head();
    const bar = progressBar('rebuilding read models');
    const projector = new Projector(store, model, projections, systemClock, quiet, isStillAlone);
    const applied = await projector.rebuild((count, position) => bar.show(count, position, end));
    bar.done(`${applied} events applied`);
    await buildAuditIndex(store, model);
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`svc: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
