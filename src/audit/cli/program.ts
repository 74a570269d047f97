import { parseArgs, type ParseArgsConfig } from 'node:util';
import { ConfigError } from '../../platform/config';
import { EXIT, type ExitCode, UsageError } from './audit-call';

/** Where a program's lines go: results, and remarks about them. */
export type Io = Readonly<{ out: (line: string) => void; note: (line: string) => void }>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Runs one command of `npm run <name>`. A failure prints one line; the exit code shows whose mistake it was. */
export async function runProgram(name: string, { note }: Io, command: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await command();
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    note(`svc ${name}: ${message}`);
    if (!(error instanceof UsageError || error instanceof ConfigError)) return EXIT.unreadable;
    if (error instanceof UsageError) note(`npm run ${name} -- --help lists the commands and options`);
    return EXIT.usage;
  }
}

export function wordsOf<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Prints the help and returns the exit code if help was asked for or no command given; otherwise undefined. */
export function printHelpIfAsked(
  help: string,
  { out }: Io,
  asked: boolean,
  command: string | undefined,
): ExitCode | undefined {
  if (!asked && command !== undefined) return undefined;
  out(help);
  return asked ? EXIT.fine : EXIT.usage;
}
