import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { readConfig } from '../../platform/config';
import { networkNames } from '../../networks';
import { checkFile } from './check';
import { exportLog, type Scope } from './export';
import { forgetPerson } from './forget';
import { HELP } from './help';
import { type Environment, type Io, printHelpIfAsked, runProgram, wordsOf } from './program';
import { showState } from './state';
import { listStreams, showStream } from './streams';
import { EXIT, type ExitCode, type AuditCall, UsageError } from './audit-call';
import { isCategory } from '../../kernel/aggregates';
import { assertNever } from '../../kernel/assert-never';
import { momentOf } from '../../kernel/rfc3339';
import { showTimeline } from './timeline';
import { verify } from './verify/verify';

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

type Takes = Readonly<{ subject?: true; options?: readonly (keyof typeof options)[]; onlyPrints?: true }>;

/** Allowed besides --json and --help. Other options are refused, because ignoring them would change the request. */
const COMMANDS = {
  streams: { options: ['category', 'since'], onlyPrints: true },
  show: { subject: true, onlyPrints: true },
  timeline: { subject: true, options: ['deliveries'], onlyPrints: true },
  state: { subject: true, options: ['as-of'], onlyPrints: true },
  export: { subject: true, options: ['merchant', 'all'], onlyPrints: true },
  check: { subject: true, options: ['key'] },
  verify: { options: ['key'] },
  forget: { subject: true, options: ['yes'] },
} as const satisfies Record<string, Takes>;

const isCommand = (word: string): word is keyof typeof COMMANDS => Object.hasOwn(COMMANDS, word);

/** Whether its exit code says nothing that its output does not: a verdict must not become success on a closed pipe. */
export function onlyPrints(args: readonly string[]): boolean {
  const command = args.find(isCommand);
  const taken: Takes = command === undefined ? {} : COMMANDS[command];
  return taken.onlyPrints ?? false;
}

/** One command of the auditors' program; returns its exit code. */
export const runAudit = (args: readonly string[], env: Environment, io: Io): Promise<ExitCode> =>
  runProgram('audit', io, () => dispatch(args, env, io));

async function dispatch(args: readonly string[], env: Environment, io: Io): Promise<ExitCode> {
  const { values, positionals } = wordsOf(args, options);
  const [command, subject, ...more] = positionals;
  const help = printHelpIfAsked(HELP, io, values.help ?? false, command);
  if (help !== undefined || command === undefined) return help ?? EXIT.usage;
  if (!isCommand(command)) throw new UsageError(`unknown command: ${command}`);
  if (more.length > 0) throw new UsageError(`${command} takes one argument, not ${more.length + 1}`);
  refuseStray(command, subject, Object.keys(values));
  const call: AuditCall = { config: readConfig(env, networkNames), json: values.json ?? false, ...io };
  const { category } = values;
  switch (command) {
    case 'streams':
      if (category !== undefined && !isCategory(category)) throw new UsageError(`unknown category: ${category}`);
      return listStreams(call, { category, since: time('since', values.since) });
    case 'show':
      return showStream(call, needed(command, subject));
    case 'timeline':
      return showTimeline(call, needed(command, subject), { deliveries: values.deliveries ?? false });
    case 'state':
      return showState(call, needed(command, subject), time('as-of', values['as-of']));
    case 'export':
      return exportLog(call, scopeOf(subject, values.merchant, values.all));
    case 'check':
      return checkFile(call, needed(command, subject), values.key ? { trustedKeys: values.key } : {});
    case 'verify':
      return verify(call, values.key);
    case 'forget':
      return forget(call, needed(command, subject), values.yes ?? false);
    default:
      return assertNever(command);
  }
}

function refuseStray(command: keyof typeof COMMANDS, subject: string | undefined, given: readonly string[]): void {
  const { subject: takesSubject, options: taken = [] }: Takes = COMMANDS[command];
  if (subject !== undefined && takesSubject === undefined) {
    const instead = command === 'verify' ? '; it reads the stores of the service. To verify a file, use check' : '';
    throw new UsageError(`${command} takes no argument${instead}`);
  }
  const stray = given.find((name) => name !== 'json' && !taken.some((option) => option === name));
  if (stray !== undefined) throw new UsageError(`${command} does not take --${stray}`);
}

/** Destroying a key cannot be undone, so it must be confirmed. */
async function forget(call: AuditCall, subject: string, yes: boolean): Promise<ExitCode> {
  const who = subject === '-' ? (await text(process.stdin)).trim() : subject;
  if (!yes && (subject === '-' || !process.stdin.isTTY)) {
    throw new UsageError('forget destroys the key of a person’s address for good: confirm with --yes');
  }
  return yes || (await confirmed(who)) ? forgetPerson(call, who) : EXIT.wrong;
}

async function confirmed(who: string): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asking.question(`Destroy the key of ${who} for good? Type yes: `);
  asking.close();
  return answer.trim() === 'yes';
}

function needed(command: string, subject: string | undefined): string {
  if (subject === undefined) throw new UsageError(`${command} needs an argument`);
  return subject;
}

function time(name: string, value: string | undefined): string | undefined {
  const moment = value === undefined ? undefined : momentOf(value);
  if (value !== undefined && moment === undefined) {
    throw new UsageError(`--${name} must be a time such as 2030-01-31T12:00:00Z`);
  }
  return moment?.toISOString();
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
