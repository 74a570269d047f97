import { parseArgs } from 'node:util';
import { SvcError } from '../../errors.ts';
import { UnusableCredentials } from '../credentials.ts';
import { type Command, type Terminal } from './command.ts';
import { completion } from './completion.ts';
import { events } from './events.ts';
import { Ending, EXIT, type ExitCode, usage } from './exit-codes.ts';
import { help, helpOf } from './help.ts';
import { listen } from './listen.ts';
import { login, logout } from './login.ts';
import { getPayment, listPayments, waitForPayment } from './payments.ts';
import { plain } from './table.ts';
import { trigger } from './trigger.ts';
import { verify } from './verify.ts';

const COMMANDS: readonly Command[] = [
  ...[login, logout, listen, trigger, events, getPayment, listPayments, waitForPayment, verify],
  completion(() => COMMANDS),
];

/** Runs one command to completion and returns its exit code. */
export async function runSvc(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const asksForHelp = ['help', '--help', '-h'].includes(args[0] ?? '');
  const named = commandIn(asksForHelp ? args.slice(1) : args);
  if (asksForHelp && (named !== undefined || args.length === 1)) {
    (named ? helpOf(named) : help(COMMANDS)).forEach(terminal.out);
    return EXIT.ok;
  }
  if (named === undefined) {
    help(COMMANDS).forEach(terminal.note);
    return EXIT.usage;
  }
  try {
    return await call(named, args.slice(named.name.split(' ').length), terminal);
  } catch (error) {
    if (terminal.signal.aborted) return EXIT.ok;
    const { code, message } = endingOf(error);
    terminal.note(`svc: ${plain(message)}`);
    if (code === EXIT.usage) terminal.note(`svc help ${named.name} shows how to use it`);
    return code;
  }
}

const commandIn = (args: readonly string[]): Command | undefined =>
  COMMANDS.find(({ name }) => name === args.slice(0, name.split(' ').length).join(' '));

async function call(command: Command, args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const options = { ...command.options, help: { type: 'boolean', short: 'h' } } as const;
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw usage((error as Error).message);
  }
  const values = parsed.values as Readonly<Record<string, string | boolean | undefined>>;
  if (values['help'] === true) {
    helpOf(command).forEach(terminal.out);
    return EXIT.ok;
  }
  const words = parsed.positionals;
  if (words.length < command.words) throw usage(`an argument is missing: svc ${command.name} ${command.takes}`);
  if (words.length > command.words) throw usage(`unexpected argument: ${words[command.words]}`);
  return command.run({ words, values, terminal });
}

function endingOf(error: unknown): Pick<Ending, 'code' | 'message'> {
  if (error instanceof Ending) return error;
  if (error instanceof SvcError) {
    const again = error.status === 401 ? ' Run svc login.' : '';
    const issues = error.issues.map(({ field, message }) => ` ${field}: ${message}.`).join('');
    const call = error.requestId === undefined ? '' : ` (${error.code}, request ${error.requestId})`;
    return { code: EXIT.trouble, message: `${error.message}${issues}${again}${call}` };
  }
  if (error instanceof UnusableCredentials) return { code: EXIT.trouble, message: error.message };
  return { code: EXIT.trouble, message: error instanceof Error ? error.message : String(error) };
}
