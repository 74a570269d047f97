import { type ParseArgsConfig } from 'node:util';
import { type Environment } from '../credentials.ts';
import { type ExitCode } from './exit-codes.ts';

/** Everything a command may touch, so that tests can replace the terminal. */
export type Terminal = Readonly<{
  env: Environment;
  /** Writes a line of the result. */
  out: (line: string) => void;
  /** Writes a line for the person, who may have redirected the result. */
  note: (line: string) => void;
  /** Reads the next line typed; undefined at the end of input. */
  ask: (question: string) => Promise<string | undefined>;
  /** Aborts when the person interrupts the command. */
  signal: AbortSignal;
}>;

export type Values = Readonly<Record<string, string | boolean | undefined>>;

export type Command = Readonly<{
  /** As typed, such as `payments get`. */
  name: string;
  /** What follows the name. */
  takes: string;
  summary: string;
  /** In the format of `parseArgs`. */
  options: NonNullable<ParseArgsConfig['options']>;
  about: readonly string[];
  /** How many arguments follow the name. */
  words: number;
  run: (call: Readonly<{ words: readonly string[]; values: Values; terminal: Terminal }>) => Promise<ExitCode>;
}>;

export const textOf = (values: Values, name: string): string | undefined => {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
};
