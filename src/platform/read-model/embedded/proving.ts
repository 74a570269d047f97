import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootId } from '../../../kernel/boot-id';
import { flushDirectory } from '../../../kernel/flush-directory';
import { runInChild } from '../../threads/in-child';
import { commitsIn, DATA_FILE, isKnownDamaged, ReadModelUnreadable } from './environment';
import { onDisk } from './key-files';
import { type Proof, proveTables } from './prove-tables';

/**
 * What the last process that had the file open recorded: the state of the file if it was closed in order; otherwise how
 * many processes in a row ended early, that one included, how many busy ones before it did, how many commits the file
 * had when it opened it, and during which boot of the machine.
 */
type InUse = Readonly<{ unproven: number; busy?: number; commits?: number; boot?: string | undefined }>;
type Left = Readonly<{ closed: string }> | InUse;

const LEFT_FILE = 'left';
/** If a process runs this long, a later crash is not caused by the file it opened. */
const PROVEN_AFTER_MS = 10_000;
/** A start of a service with data commits less often than this, and a busy service is there in a second. */
const BUSY_FROM_COMMITS = 20;
/** More than any process commits in that time: the file's header is damaged. */
const TOO_MANY_COMMITS = 1_000_000;
/** An operator may kill a few, but a file on which process after process ends is treated as damaged. */
export const MAX_UNPROVEN = 5;

/**
 * LMDB maps the file and trusts it: a changed page may end the process in mid-call, at the start or whenever it is
 * reached. So a file that is not as it was left, or on which the last process ended soon after its start, is read from
 * end to end by a child process before it is opened here. If its process was killed later than that, it is not: LMDB
 * survives that by itself, and reading a large file would delay the start. A busy process that ended early was probably
 * killed, too, but may have reached a changed page: after two, four, sixteen in a row the file is read. A file that was
 * in use when the machine went down is not even read: writes do not wait for the disk, so any page may be older than the
 * others yet valid in itself.
 */
export async function assertProven(directory: string): Promise<void> {
  const left = leftIn(directory);
  const present = fileIn(directory);
  if (present === undefined) return;
  if (left === undefined) throw new ReadModelUnreadable(directory, 'nothing says how it was left');
  assertOfThisRun(directory, left);
  const { idle, busy } = earlyEnds(directory, left);
  if ('closed' in left ? left.closed === present : idle === 0 && !isTimeToRead(busy)) return;
  if (idle >= MAX_UNPROVEN)
    throw new ReadModelUnreadable(directory, `${idle} processes in a row have ended soon after they opened it`);
  await prove(directory);
}

/**
 * For a process that only reads, perhaps while another writes. The writer trusts the file while it runs, since reading
 * all of it would delay its callers; a command has the time.
 */
export async function assertProvenReadOnly(directory: string): Promise<void> {
  if (isKnownDamaged(directory)) throw new ReadModelUnreadable(directory, 'it was found damaged while it was in use');
  const left = leftIn(directory);
  const present = fileIn(directory);
  if (left !== undefined && present !== undefined) assertOfThisRun(directory, left);
  const isAsLeft = left !== undefined && 'closed' in left && left.closed === present;
  if (present !== undefined && !isAsLeft) await prove(directory, 'reads');
}

/** For a process that only reads, no test write is made. */
export async function prove(directory: string, who: 'writes' | 'reads' = 'writes'): Promise<void> {
  const { answer, signal, hasCrashed } = await runInChild(proveTables, [require.resolve('lmdb'), directory, who]);
  const { damage, documents } = (answer ?? {}) as Proof;
  if (hasCrashed) throw new ReadModelUnreadable(directory, `reading it ended with ${signal}`);
  if (damage !== undefined) throw new ReadModelUnreadable(directory, damage);
  // The child was killed, for example. The state is unknown, so the read model is rebuilt from the log.
  if (documents === undefined) throw new ReadModelUnreadable(directory, 'it could not be read to its end');
}

/** Marks the file as in use: exits without close are counted until it has proven good. Returns the closing step. */
export function noteInUse(directory: string): () => Promise<void> {
  const boot = bootId();
  const { idle, busy } = earlyEnds(directory, leftIn(directory));
  write(directory, { unproven: idle + 1, busy, commits: commitsIn(directory), boot }, { flush: true });
  // Flushed before the first change: otherwise a changed file could still be recorded as closed.
  flushDirectory(directory);
  const proven = setTimeout(() => write(directory, { unproven: 0, boot }), PROVEN_AFTER_MS).unref();
  return async () => {
    clearTimeout(proven);
    const isOnDisk = await onDisk(join(directory, DATA_FILE), 'r+', async () => undefined).then(
      () => true,
      () => false,
    );
    const closed = fileIn(directory);
    // What could not be flushed may be lost although the machine keeps running, so no boot is recorded.
    if (!isOnDisk) write(directory, { unproven: 0 });
    else write(directory, closed === undefined ? { unproven: 0, boot } : { closed });
  };
}

/** No process has it open, and it was closed in order. */
export function isClosed(directory: string): boolean {
  const left = leftIn(directory);
  return left !== undefined && 'closed' in left;
}

export const forgetUse = (directory: string): void => rmSync(join(directory, LEFT_FILE), { force: true });

/** Written to a temporary file and renamed: a partial note would be useless. */
function write(directory: string, left: Left, { flush = false } = {}): void {
  const aside = join(directory, `${LEFT_FILE}.new`);
  try {
    writeFileSync(aside, JSON.stringify(left), { flush });
    renameSync(aside, join(directory, LEFT_FILE));
  } catch {
    // The disk is full. The previous note is outdated, so it is removed; without one, the next start rebuilds the file.
    rmSync(join(directory, LEFT_FILE), { force: true });
  }
}

function leftIn(directory: string): Left | undefined {
  let text: string;
  try {
    text = readFileSync(join(directory, LEFT_FILE), 'utf8');
  } catch {
    return undefined;
  }
  try {
    const left: unknown = JSON.parse(text);
    if (isLeft(left)) return left;
  } catch {
    // Cut short when the machine went down, as below.
  }
  return { unproven: 0 };
}

function isLeft(left: unknown): left is Left {
  const { closed, unproven, busy = 0, commits = 0 } = Object(left) as Record<string, unknown>;
  return typeof closed === 'string' || [unproven, busy, commits].every(isCount);
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

/** Of the last processes in a row, how many the file may have ended: when they had done nothing yet, and when busy. */
function earlyEnds(directory: string, left: Left | undefined): Readonly<{ idle: number; busy: number }> {
  if (left === undefined || 'closed' in left || left.unproven === 0) return { idle: 0, busy: 0 };
  const { unproven, busy = 0, commits = Infinity } = left;
  const done = commitsIn(directory) - commits;
  return done >= BUSY_FROM_COMMITS && done < TOO_MANY_COMMITS ? { idle: 0, busy: busy + 1 } : { idle: unproven, busy };
}

/** Ever more rarely, since it was intact so far: killed over and over under load, a service still starts without delay. */
const isTimeToRead = (busy: number): boolean => [2, 4, 16, 256].includes(busy);

function assertOfThisRun(directory: string, left: Left): void {
  if ('closed' in left || (left.boot !== undefined && left.boot === bootId())) return;
  throw new ReadModelUnreadable(directory, 'it was in use when the machine went down');
}

function fileIn(directory: string): string | undefined {
  const stats = statSync(join(directory, DATA_FILE), { throwIfNoEntry: false, bigint: true });
  return stats === undefined || stats.size === 0n ? undefined : `${stats.size} ${stats.mtimeNs}`;
}
