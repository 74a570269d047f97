import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInChild } from '../../threads/in-child';
import { DATA_FILE, ReadModelUnreadable } from './environment';
import { type Proof, proveTables } from './prove-tables';

/** What the last process to have it open has left: how the file was when that ended in order; otherwise how often in a row one did not come far. */
type Left = Readonly<{ closed?: string; unproven?: number }>;

const LEFT_FILE = 'left';
/** Who has come so far does not end because of what it found at its start. */
const PROVEN_AFTER_MS = 10_000;
/** Twice may be an operator's hand; a file on which a process ends three times in a row is no more trusted than a damaged one. */
const MOST_UNPROVEN = 3;

/**
 * LMDB maps the file and trusts it: a changed page may end the process in mid-call, at the start or whenever it is met. So a file
 * that was not left in order, or is not as it was left, is read from end to end by a process of its own before it is opened here.
 */
export async function assertProven(directory: string): Promise<void> {
  const left = leftIn(directory);
  const present = fileIn(directory);
  if (present === undefined || left.closed === present) return;
  if ((left.unproven ?? 0) >= MOST_UNPROVEN)
    throw new ReadModelUnreadable(
      directory,
      `${left.unproven} processes in a row have ended soon after they opened it`,
    );
  await prove(directory);
}

export async function prove(directory: string): Promise<void> {
  const { answer, signal, hasCrashed } = await runInChild(proveTables, [require.resolve('lmdb'), directory]);
  const { damage, documents } = (answer ?? {}) as Proof;
  if (hasCrashed) throw new ReadModelUnreadable(directory, `reading it ended with ${signal}`);
  if (damage !== undefined) throw new ReadModelUnreadable(directory, damage);
  // Killed from outside, say. Nothing is known then, and the log can build it anew in any case.
  if (documents === undefined) throw new ReadModelUnreadable(directory, 'it could not be read to its end');
}

/** From here on it is in use: ends without `close` are counted until it has proven good. Gives what is to be done at the end. */
export function noteInUse(directory: string): () => void {
  const before = leftIn(directory).unproven ?? 0;
  write(directory, { unproven: before + 1 });
  const proven = setTimeout(() => write(directory, {}), PROVEN_AFTER_MS).unref();
  return () => {
    clearTimeout(proven);
    const closed = fileIn(directory);
    write(directory, closed === undefined ? {} : { closed });
  };
}

export const forgetUse = (directory: string): void => rmSync(join(directory, LEFT_FILE), { force: true });

function write(directory: string, left: Left): void {
  try {
    writeFileSync(join(directory, LEFT_FILE), JSON.stringify(left));
  } catch {
    // A full disk: then the next start looks more closely than it needs to.
  }
}

function leftIn(directory: string): Left {
  try {
    return JSON.parse(readFileSync(join(directory, LEFT_FILE), 'utf8')) as Left;
  } catch {
    return {};
  }
}

function fileIn(directory: string): string | undefined {
  const stats = statSync(join(directory, DATA_FILE), { throwIfNoEntry: false, bigint: true });
  return stats === undefined || stats.size === 0n ? undefined : `${stats.size} ${stats.mtimeNs}`;
}
