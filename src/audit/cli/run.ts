import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '../../platform/config';
import { networkNames } from '../../networks';
import { checkFile } from './check';
import { exportLog, type Scope } from './export';
import { forgetPerson } from './forget';
import { HELP } from './help';
import { showState } from './state';
import { listStreams, showStream } from './streams';
import { EXIT, type ExitCode, type Surroundings, UsageError } from './surroundings';
import { isCategory } from '../../kernel/aggregates';
import { showTimeline } from './timeline';
import { verify } from './verify/verify';

type Io = Readonly<{ out: (line: string) => void; note: (line: string) => void }>;

const options = {
  help: { type: 'boolean' },
  json: { type: 'boolean' },
  all: { type: 'boolean' },
  deliveries: { type: 'boolean' },
  category: { type: 'string' },
  since: { type: 'string' },
  'as-of': { type: 'string' },
  merchant: { type: 'string' },
  key: { type: 'string', multiple: true },
  yes: { type: 'boolean' },
} as const;

/** One command of the auditors' program; answers with its exit code. */
export async function runAudit(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  io: Io,
): Promise<ExitCode> {
  try {
    return await dispatch(args, env, io);
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    io.note(`svc audit: ${message}`);
    if (!(error instanceof UsageError || error instanceof ConfigError)) return EXIT.unreadable;
    if (error instanceof UsageError) io.note('npm run audit -- --help says what there is');
    return EXIT.usage;
  }
}

async function dispatch(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  { out, note }: Io,
): Promise<ExitCode> {
  const { values, positionals } = parsed(args);
  const [command, subject, ...more] = positionals;
  if (values.help || command === undefined) {
    out(HELP);
    return values.help ? EXIT.fine : EXIT.usage;
  }
  if (more.length > 0) throw new UsageError(`${command} takes one argument, not ${more.length + 1}`);
  const around: Surroundings = { config: readConfig(env, networkNames), json: values.json ?? false, out, note };
  const { category } = values;
  switch (command) {
    case 'streams':
      if (category !== undefined && !isCategory(category)) throw new UsageError(`there is no category ${category}`);
      return listStreams(around, { category, since: time('since', values.since) });
    case 'show':
      return showStream(around, needed(command, subject));
    case 'timeline':
      return showTimeline(around, needed(command, subject), { deliveries: values.deliveries ?? false });
    case 'state':
      return showState(around, needed(command, subject), time('as-of', values['as-of']));
    case 'export':
      return exportLog(around, scopeOf(subject, values.merchant, values.all));
    case 'check':
      return checkFile(around, needed(command, subject), values.key ? { trustedKeys: values.key } : {});
    case 'verify':
      return verify(around, values.key);
    case 'forget':
      return forget(around, needed(command, subject), values.yes ?? false);
    default:
      throw new UsageError(`there is no command ${command}`);
  }
}

/** What is destroyed does not come back: somebody must have said so. */
async function forget(around: Surroundings, subject: string, yes: boolean): Promise<ExitCode> {
  const who = subject === '-' ? (await text(process.stdin)).trim() : subject;
  if (!yes && (subject === '-' || !process.stdin.isTTY)) {
    throw new UsageError('forget destroys the key of a person’s address for good: say so with --yes');
  }
  return yes || (await confirmed(who)) ? forgetPerson(around, who) : EXIT.wrong;
}

async function confirmed(who: string): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asking.question(`Destroy the key of ${who} for good? Type yes: `);
  asking.close();
  return answer.trim() === 'yes';
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function needed(command: string, subject: string | undefined): string {
  if (subject === undefined) throw new UsageError(`${command} of what?`);
  return subject;
}

function time(name: string, value: string | undefined): string | undefined {
  if (value !== undefined && Number.isNaN(Date.parse(value))) throw new UsageError(`--${name} must be a time`);
  return value;
}

function scopeOf(subject: string | undefined, merchant: string | undefined, all: boolean | undefined): Scope {
  const scopes: Scope[] = [
    ...(subject === undefined ? [] : [{ kind: 'payment', id: subject } as const]),
    ...(merchant === undefined ? [] : [{ kind: 'merchant', id: merchant } as const]),
    ...(all ? [{ kind: 'all' } as const] : []),
  ];
  const [scope, another] = scopes;
  if (scope === undefined || another !== undefined) {
    throw new UsageError('export takes a payment id, --merchant <id> or --all: one of them');
  }
  return scope;
}
