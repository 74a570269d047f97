import { type Environment, type Io, printHelpIfAsked, runProgram, wordsOf } from '../../audit/cli/program';
import { type ExitCode, UsageError } from '../../audit/cli/audit-call';
import { networkNames } from '../../networks';
import { type Config, readConfig } from '../../platform/config';
import { HELP } from './help';
import { rotateSecret } from './rotate';
import { showStatus } from './status';

/** What a command receives: configuration, the next secret if there is one, and where its output goes. */
export type SecretCall = Io & Readonly<{ config: Config; nextSecret: string | undefined; json: boolean }>;

const options = { help: { type: 'boolean' }, json: { type: 'boolean' } } as const;

/** Runs one command about the service secret; returns its exit code. */
export const runSecret = (args: readonly string[], env: Environment, io: Io): Promise<ExitCode> =>
  runProgram('secret', io, () => dispatch(args, env, io));

async function dispatch(args: readonly string[], env: Environment, io: Io): Promise<ExitCode> {
  const { values, positionals } = wordsOf(args, options);
  const [command, ...more] = positionals;
  const help = printHelpIfAsked(HELP, io, values.help ?? false, command);
  if (help !== undefined) return help;
  // A secret must not appear in a list of processes, nor in a shell's history.
  if (more.length > 0) throw new UsageError(`${command} takes no argument; secrets are given as environment variables`);
  const nextSecret = env['NEW_SERVICE_SECRET'] || undefined;
  const call = { config: readConfig(env, networkNames), nextSecret, json: values.json ?? false, ...io };
  switch (command) {
    case 'rotate':
      return rotateSecret(call);
    case 'status':
      return showStatus(call);
    default:
      throw new UsageError('unknown command');
  }
}
