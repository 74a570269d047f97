import { runSecret } from '../../src/app/secret/run';
import { type Ran } from './audit-command';

/** The operators' `secret` command, run in this process. */
export async function secretHere(env: Readonly<Record<string, string>>, args: readonly string[]): Promise<Ran> {
  const lines: string[] = [];
  const notes: string[] = [];
  const io = { out: (line: string) => lines.push(...line.split('\n')), note: (line: string) => notes.push(line) };
  return { code: await runSecret(args, env, io), lines, notes: notes.join('\n') };
}
