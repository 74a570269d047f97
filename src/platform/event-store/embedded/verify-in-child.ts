import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { StoreCorrupt } from './errors';
import { type Verdict, verifyLog } from './verify-log';

/** How a process ends that trips over a damaged file; any other signal came from outside. */
const CRASHES: readonly (NodeJS.Signals | null)[] = ['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGFPE', 'SIGILL', 'SIGTRAP'];

// The function travels as text: so it runs alike from compiled files and from files a test runner compiles in memory.
const PROGRAM = `
  const [lmdb, file, access] = process.argv.slice(1);
  const verdict = (${verifyLog.toString()})(require(lmdb), require('node:zlib'), file, access);
  require('node:fs').writeSync(1, JSON.stringify(verdict));
  process.exit();
`;

/** Rejects with StoreCorrupt unless the whole log is as it was written. */
export async function verifyInChild(file: string, access: 'write' | 'read'): Promise<void> {
  const child = spawn(process.execPath, ['-e', PROGRAM, require.resolve('lmdb'), file, access], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (_code, signal) => resolve(signal));
  });
  const [answer, complaint, signal] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (CRASHES.includes(signal)) throw new StoreCorrupt(file, `it cannot be read (the check ended with ${signal})`);
  const verdict = verdictIn(answer);
  if (verdict?.corrupt !== undefined) throw new StoreCorrupt(file, verdict.corrupt);
  if (verdict?.events === undefined) {
    throw new Error(`${file}: could not be checked: ${verdict?.failed ?? signal ?? complaint.trim()}`);
  }
}

function verdictIn(answer: string): Verdict | undefined {
  try {
    return JSON.parse(answer) as Verdict;
  } catch {
    return undefined;
  }
}
