import { type Environment, type Io, printHelpIfAsked, runProgram, wordsOf } from '../../audit/cli/program';
import { EXIT, type ExitCode, UsageError } from '../../audit/cli/audit-call';
import { pause } from '../../kernel/pause';
import { networkNames } from '../../networks';
import { type Config, readConfig } from '../../platform/config';
import { requestRetry, stateOfRequest } from '../../platform/reacting/retry-requests';
import { type Bookmarks } from '../../platform/reacting/reactor';
import { REACTOR_NAMES } from '../../platform/reacting/reactor-names';
import { countAside } from '../../platform/reacting/set-aside';
import { openReadModelReadOnly, openReadModelToMark } from '../../platform/read-model/read-model.module';
import { assertBelongsToUser } from '../data-directory';
import { HELP } from './help';

const POLL_INTERVAL_MS = 200;
/** The instance that reacts polls for requests twice a second. */
const ACCEPT_TIMEOUT_MS = 5_000;
/** A reaction may call slow servers. */
const RETRY_TIMEOUT_MS = 120_000;

/** Runs one command about what reactors have set aside; returns its exit code. */
export const runReactions = (args: readonly string[], env: Environment, io: Io): Promise<ExitCode> =>
  runProgram('reactions', io, () => dispatch(args, env, io));

async function dispatch(args: readonly string[], env: Environment, io: Io): Promise<ExitCode> {
  const { values, positionals } = wordsOf(args, { help: { type: 'boolean' } });
  const [command, ...more] = positionals;
  const help = printHelpIfAsked(HELP, io, values.help ?? false, command);
  if (help !== undefined) return help;
  if (more.length > 0) throw new UsageError(`${command} takes no argument`);
  const config = readConfig(env, networkNames);
  switch (command) {
    case 'status':
      return showStatus(config, io);
    case 'retry':
      return retry(config, io);
    default:
      throw new UsageError(`unknown command: ${command}`);
  }
}

async function showStatus(config: Config, io: Io): Promise<ExitCode> {
  const model = await openReadModelReadOnly(config);
  try {
    return report(await asideBy(model), io);
  } finally {
    await model.close();
  }
}

async function retry(config: Config, io: Io): Promise<ExitCode> {
  if (config.readStore.kind === 'embedded') assertBelongsToUser(config);
  const model = await openReadModelToMark(config);
  try {
    const before = sumOf(await asideBy(model));
    if (before === 0) return report([], io);
    await untilRetried(model, await requestRetry(model));
    const after = await asideBy(model);
    io.out(`retried ${before}: ${Math.max(0, before - sumOf(after))} done`);
    return report(after, io);
  } finally {
    await model.close();
  }
}

/** Also returns if nothing is set aside any more, for example after the regular retry every minute. */
async function untilRetried(model: Bookmarks, request: bigint): Promise<void> {
  const began = performance.now();
  for (;;) {
    const state = await stateOfRequest(model, request);
    if (state === 'done' || sumOf(await asideBy(model)) === 0) return;
    const waited = performance.now() - began;
    if (state === 'requested' && waited > ACCEPT_TIMEOUT_MS)
      throw new Error('no running instance does the background work; the next one that starts retries all of them');
    if (waited > RETRY_TIMEOUT_MS) throw new Error('the retry is still running: see status and the service log');
    await pause(POLL_INTERVAL_MS);
  }
}

type Waiting = readonly (readonly [name: string, count: number])[];

async function asideBy(model: Bookmarks): Promise<Waiting> {
  const counts = await Promise.all(REACTOR_NAMES.map(async (name) => [name, await countAside(name, model)] as const));
  return counts.filter(([, count]) => count > 0);
}

const sumOf = (waiting: Waiting): number => waiting.reduce((sum, [, count]) => sum + count, 0);

function report(waiting: Waiting, { out }: Io): ExitCode {
  if (waiting.length === 0) out('nothing is set aside');
  for (const [name, count] of waiting) out(`${name}: ${count} set aside`);
  return waiting.length === 0 ? EXIT.fine : EXIT.wrong;
}
