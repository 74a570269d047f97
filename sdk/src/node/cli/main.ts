import { createInterface } from 'node:readline';
import { runSvc } from './run.ts';

const INTERRUPTED = 130;

const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interruption.abort());
// A reader such as head has closed the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  // Keep the command's own exit code if it has one: a closed pipe must not turn a negative result into success.
  process.exit(process.exitCode ?? 0);
});

/** Opened at the first question: a command that asks nothing leaves standard input alone. */
let lines: AsyncIterator<string, undefined> | undefined;
async function ask(question: string): Promise<string | undefined> {
  lines ??= createInterface({ input: process.stdin, terminal: false, signal: interruption.signal })[
    Symbol.asyncIterator
  ]();
  process.stderr.write(question);
  const next: IteratorResult<string, undefined> = await lines.next();
  return next.value;
}

const terminal = {
  env: process.env,
  out: (line: string): void => void process.stdout.write(`${line}\n`),
  note: (line: string): void => void process.stderr.write(`${line}\n`),
  ask,
  signal: interruption.signal,
};

void runSvc(process.argv.slice(2), terminal).then((code) => {
  process.exitCode = code;
  if (interruption.signal.aborted && code === 0 && process.argv[2] !== 'listen' && !process.argv.includes('--follow')) {
    process.exitCode = INTERRUPTED;
  }
  // An open input or an idle connection must not keep the process alive.
  process.stdin.destroy();
});
