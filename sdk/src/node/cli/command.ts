import { type ParseArgsConfig } from 'node:util';
import { type Environment } from '../credentials.ts';
import { type ExitCode } from './exit-codes.ts';

/** What a command may touch. Nothing else leaves it, so that tests can stand in for a terminal. */
export type Terminal = Readonly<{
  env: Environment;
  /** A line of the answer. */
  out: (line: string) => void;
  /** A line for the person, who may have sent the answer elsewhere. */
  note: (line: string) => void;
  /** The next line that is typed; undefined at the end of input. */
  ask: (question: string) => Promise<string | undefined>;
  /** Fires when the person ends it. */
  signal: AbortSignal;
}>;

export type Values = Readonly<Record<string, string | boolean | undefined>>;

export type Command = Readonly<{
  /** As it is typed, such as `payments get`. */
  name: string;
  /** What follows the name. */
  takes: string;
  summary: string;
  /** Each option with what it is for; `json` is added where `table` says so. */
  options: NonNullable<ParseArgsConfig['options']>;
  about: readonly string[];
  /** How many words follow the name. */
  words: number;
  run: (call: Readonly<{ words: readonly string[]; values: Values; terminal: Terminal }>) => Promise<ExitCode>;
}>;

export const textOf = (values: Values, name: string): string | undefined => {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
};
