import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Block } from './doc-blocks';

const root = join(__dirname, '..', '..');

type Environment = Readonly<Record<string, string>>;

export const hasTool = (name: string): boolean => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;

/** Replaces the page's ports and directories with those of this run. */
export const replaced = (code: string, replace: Environment): string =>
  Object.entries(replace).reduce((text, [from, to]) => text.replaceAll(from, to), code);

const MARK = '::block';

/** Runs the blocks in order in one bash, as a reader types them; the first failure ends it. */
export const scriptOf = (blocks: readonly Block[], replace: Environment = {}): string =>
  [
    'set -euo pipefail',
    ...blocks.flatMap(({ page, line, code }) => [`echo; echo "${MARK} ${page}:${line}"`, replaced(code, replace)]),
  ].join('\n');

export type Shell = Readonly<{
  output(): string;
  /** Its exit code; background jobs may still be running. */
  ended: Promise<number | null>;
  /** Resolves once the text is printed; rejects if the shell fails first. */
  printed(text: string): Promise<void>;
  /** Ends it and everything it started. */
  kill(signal?: NodeJS.Signals): void;
}>;

export function startShell(script: string, env: Environment): Shell {
  const child: ChildProcess = spawn('bash', ['-c', script], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group, so that everything can be ended together.
    detached: true,
  });
  let output = '';
  const waiting = new Set<() => void>();
  const take = (chunk: Buffer): void => {
    output += chunk.toString();
    waiting.forEach((check) => check());
  };
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return {
    output: () => output,
    ended,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const check = (): void => void (output.includes(text) && resolve());
        waiting.add(check);
        check();
        void ended.then((code) => code !== 0 && reject(new Error(`ended with ${code} before "${text}": ${output}`)));
      }),
    kill: (signal = 'SIGKILL') => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, signal);
      } catch {
        // Everything has already ended.
      }
    },
  };
}

/** What the commands printed; throws with the place and the whole output if one failed. */
export async function runScript(script: string, env: Environment): Promise<string> {
  const shell = startShell(script, env);
  const code = await shell.ended;
  shell.kill();
  const output = shell.output();
  if (code === 0) return output;
  const place = output.slice(output.lastIndexOf(MARK) + MARK.length + 1).split('\n')[0] ?? '';
  throw new Error(`${place} ended with ${code}\n${output}`);
}
