import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Signals that end a process when it hits a damaged file; any other signal came from outside. */
const CRASHES: readonly (NodeJS.Signals | null)[] = ['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGFPE', 'SIGILL', 'SIGTRAP'];

export type ChildsAnswer = Readonly<{
  /** What it printed, if that is JSON. */
  answer: unknown;
  complaint: string;
  signal: NodeJS.Signals | null;
  hasCrashed: boolean;
}>;

/**
 * Runs `work(require, …args)` in a child process, because the engine may crash on it. The function is passed as source
 * text, so it runs the same compiled or from a test runner's memory. It may use only its parameters.
 */
export async function runInChild(
  work: (require: NodeJS.Require, ...args: never[]) => unknown,
  args: readonly string[],
): Promise<ChildsAnswer> {
  const program = `
    const answer = (${work.toString()})(require, ...process.argv.slice(1));
    require('node:fs').writeSync(1, JSON.stringify(answer));
    process.exit();
  `;
  const child = spawn(process.execPath, ['-e', program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (_code, signal) => resolve(signal));
  });
  const [answer, complaint, signal] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { answer: parsed(answer), complaint: complaint.trim(), signal, hasCrashed: CRASHES.includes(signal) };
}

function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return undefined;
  }
}
