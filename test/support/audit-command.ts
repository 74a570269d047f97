import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runAudit } from '../../src/audit/cli/run';
import { built } from './child';

/** The same in this process: faster, where it does not matter which process holds which file. */
export async function auditHere(env: Readonly<Record<string, string>>, args: readonly string[]): Promise<Ran> {
  const lines: string[] = [];
  const notes: string[] = [];
  const io = { out: (line: string) => lines.push(...line.split('\n')), note: (line: string) => notes.push(line) };
  return { code: await runAudit(args, env, io), lines, notes: notes.join('\n') };
}

const root = join(__dirname, '..', '..');
export const PROGRAM = built('audit/cli/main.js');

export type Ran = Readonly<{ code: number | null; lines: string[]; notes: string }>;

/** The auditors' program in its own process, as it runs next to a service. */
export async function audit(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  input?: string,
): Promise<Ran> {
  const child = spawn(process.execPath, [...PROGRAM, ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input ?? '');
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, notes, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, lines: out.split('\n').slice(0, -1), notes };
}
