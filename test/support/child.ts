import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from './free-port';
import { START_COMMAND } from './start-command';

export type ServiceProcess = Readonly<{
  url: string;
  child: ChildProcess;
  output: () => string;
  ended: Promise<number | null>;
}>;

const root = join(__dirname, '..', '..');
const REGISTER = join(root, 'test/support/register-swc.js');

/** In a full-size run the service starts as it does for users: the start-up time is part of the promise. */
const isFull = Boolean(process.env['CHAOS_REPORT']);
/** Node arguments for a process that needs not compile what the build contains, even if it is not the service. */
export const COMPILED = isFull ? [] : ['-r', join(root, 'dist/src/app/compile-cache.js')];
/** Node arguments that run a program of the build. */
export const built = (file: string): readonly string[] => [...COMPILED, join(root, 'dist/src', file)];
const SERVICE = isFull ? START_COMMAND : built('main.js');
const program = (file: string): string[] => ['-r', REGISTER, join(root, file)];

/** The output of each process of this test file so far; searched for secrets when the file ends. */
export const processes: (() => string)[] = [];
/** test/support/failure-log-environment.js shows their last lines when a test fails. */
(globalThis as { processLogs?: readonly (() => string)[] }).processLogs = processes;

/**
 * The service in its own process, for tests that end it. Resolves when it listens, rejects if it ends before. `under`
 * is a command that execs the one it is given, such as a shell that sets a limit.
 */
export async function spawnService(
  env: Readonly<Record<string, string>>,
  file?: string,
  under: readonly string[] = [],
): Promise<ServiceProcess> {
  const port = env['PORT'] ?? String(await freePort());
  const [command = '', ...args] = [...under, process.execPath, ...(file === undefined ? SERVICE : program(file))];
  const child = spawn(command, args, {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', RATE_LIMITS: 'off', ...env, PORT: port },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const listening = new Promise<void>((resolve) => {
    child.stdout?.on('data', () => {
      if (output.includes('svc listens on')) resolve();
    });
  });
  const early = await Promise.race([listening, ended.then((code) => ({ code }))]);
  processes.push(() => output);
  if (early) throw new Error(`ended with ${early.code}: ${output}`);
  return { url: `http://127.0.0.1:${port}`, child, output: () => output, ended };
}
