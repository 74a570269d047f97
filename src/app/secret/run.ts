import { parseArgs } from 'node:util';
import { EXIT, type ExitCode, UsageError } from '../../audit/cli/surroundings';
import { networkNames } from '../../networks';
import { type Config, ConfigError, readConfig } from '../../platform/config';
import { HELP } from './help';
import { rotateSecret } from './rotate';
import { showStatus } from './status';

type Io = Readonly<{ out: (line: string) => void; note: (line: string) => void }>;

/** What a command is given: settings, the next secret if there is one, and where its lines go. */
export type SecretCall = Io & Readonly<{ config: Config; nextSecret: string | undefined; json: boolean }>;

const options = { help: { type: 'boolean' }, json: { type: 'boolean' } } as const;

/** One command about the service secret; answers with its exit code. */
export async function runSecret(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  io: Io,
): Promise<ExitCode> {
  try {
    return await dispatch(args, env, io);
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    io.note(`svc secret: ${message}`);
    if (!(error instanceof UsageError || error instanceof ConfigError)) return EXIT.unreadable;
    if (error instanceof UsageError) io.note('npm run secret -- --help says what there is');
    return EXIT.usage;
  }
}

async function dispatch(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  { out, note }: Io,
): Promise<ExitCode> {
  const { values, positionals } = parsed(args);
  const [command, ...more] = positionals;
  if (values.help || command === undefined) {
    out(HELP);
    return values.help ? EXIT.fine : EXIT.usage;
  }
  // A secret has no business in a list of processes, nor in a shell's history.
  if (more.length > 0) throw new UsageError(`${command} takes no argument; secrets are given as environment variables`);
  const call = { config: readConfig(env, networkNames), nextSecret: env['NEW_SERVICE_SECRET'] || undefined, out, note };
  switch (command) {
    case 'rotate':
      return rotateSecret({ ...call, json: false });
    case 'status':
      return showStatus({ ...call, json: values.json ?? false });
    default:
      throw new UsageError('there is no such command');
  }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
