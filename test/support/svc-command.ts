import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { runSvc } from '../../sdk/src/node/cli/run.ts';

const PROGRAM = join(__dirname, '..', '..', 'sdk', 'bin', 'svc.js');

export type Ran = Readonly<{ code: number | null; out: string; err: string }>;

export type RunningSvc = Readonly<{
  child: ChildProcessWithoutNullStreams;
  out: () => string;
  err: () => string;
  /** Resolves when the condition holds; checked after each output. */
  until(condition: () => boolean): Promise<void>;
  /** Types one line. */
  type(line: string): void;
  ended: Promise<Ran>;
  interrupt(): Promise<Ran>;
}>;

/** The command in its own process, which inherits only PATH. */
export function startSvc(args: readonly string[], env: Readonly<Record<string, string>>): RunningSvc {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: { PATH: process.env['PATH'] ?? '', ...env } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = once(child, 'close').then(([code]): Ran => ({ code: code as number | null, out, err }));
  const until = (condition: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => void (condition() && resolve());
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      void ended.then(() => (condition() ? resolve() : reject(new Error(`svc ended before: ${out}${err}`))));
      look();
    });
  const interrupt = (): Promise<Ran> => {
    child.kill('SIGINT');
    return ended;
  };
  return {
    child,
    out: () => out,
    err: () => err,
    until,
    type: (line) => child.stdin.write(`${line}\n`),
    ended,
    interrupt,
  };
}

/** Runs the command to its end; it cannot prompt, because its input is closed. */
export function svc(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const running = startSvc(args, env);
  running.child.stdin.end();
  return running.ended;
}

/** The same in this process, where a process of its own is not what is tested: starting one takes longer than the rest. */
export async function svcHere(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  let [out, err] = ['', ''];
  const code = await runSvc(args, {
    env,
    out: (line) => (out += `${line}\n`),
    note: (line) => (err += `${line}\n`),
    ask: async () => undefined,
    signal: new AbortController().signal,
  });
  return { code, out, err };
}
