import 'reflect-metadata';
import { projections } from '../../projections';
import { standardIo } from '../audit/cli/standard-io';
import { buildAuditIndex } from '../audit/log/build-index';
import { readConfig } from '../platform/config';
import { systemClock } from '../kernel/clock';
import { networkNames } from '../networks';
import { Projector } from '../platform/projecting/projector';
import { progressBar } from '../platform/logging/progress-bar';
import { withStoresAlone } from './stores-alone';

const HELP =
  'drops every read model and replays the log. Stop the service first. It takes no arguments except --help, and uses the ' +
  'stores of the service, set by the same environment variables.';

const io = standardIo();

/** A request for help or an unknown argument must not start a rebuild. */
function isAskedForMore(words: readonly string[]): boolean {
  if (words.length === 0) return false;
  const isHelp = words.every((word) => ['--help', '-h', 'help'].includes(word));
  (isHelp ? io.out : io.note)(`svc: ${HELP}`);
  process.exitCode = isHelp ? 0 : 2;
  return true;
}

async function main(): Promise<void> {
  if (isAskedForMore(process.argv.slice(2))) return;
  const config = readConfig(process.env, networkNames);
  await withStoresAlone(config, async ({ store, model, isStillAlone }) => {
    const end = await store.head();
    const bar = progressBar('rebuilding read models');
    const log = { info: () => undefined, warn: (_: object, message: string) => io.note(`svc: ${message}`) };
    const projector = new Projector(store, model, projections, systemClock, log, isStillAlone);
    const applied = await projector.rebuild((count, position) => bar.show(count, position, end));
    bar.done(`${applied} events applied`);
    await buildAuditIndex(store, model);
  });
}

main().catch((error: unknown) => {
  io.note(`svc: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
