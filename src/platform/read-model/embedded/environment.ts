import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** The read model's file cannot be trusted. Nothing is lost with it: the log holds everything. */
export class ReadModelUnreadable extends Error {
  constructor(
    directory: string,
    readonly why: string,
    cause?: unknown,
  ) {
    super(`the read model in ${directory} is unreadable (${why}): delete it; it is rebuilt from the log`, { cause });
    this.name = 'ReadModelUnreadable';
  }
}

/** The same, for an operator's command: the service may have the file open. */
export class ReadModelDamaged extends Error {
  constructor(directory: string, { why }: ReadModelUnreadable) {
    super(
      `the read model in ${directory} is damaged (${why}): stop the service, delete this directory and start the service, which rebuilds it from the log; nothing is lost`,
    );
    this.name = 'ReadModelDamaged';
  }
}

export const DATA_FILE = 'data.mdb';
const LOCK_FILE = 'lock.mdb';
/** Left by the process that found the file damaged while in use: the next one to open it starts over. */
const DAMAGED_FILE = 'damaged';

export const noteDamage = (directory: string, why: string): void => writeFileSync(join(directory, DAMAGED_FILE), why);

export const isKnownDamaged = (directory: string): boolean => existsSync(join(directory, DAMAGED_FILE));

/** Removes the files of the environment and nothing else in the directory. */
export function discardEnvironment(directory: string): void {
  for (const file of [DATA_FILE, LOCK_FILE, DAMAGED_FILE]) rmSync(join(directory, file), { force: true });
}

// The layout of an LMDB meta page (64-bit): page header, then the meta record.
const META = { flags: 18, magic: 24, version: 28, pageSize: 48, lastPage: 144, commits: 152, bytes: 160 };
const IS_META_PAGE = 0x08;
const MAGIC = 0xbeefc0de;
const VERSION = 2;

/**
 * LMDB maps the file and trusts it: foreign bytes end the process with a segmentation fault, a truncated file with a
 * bus error, where no catch helps. So the header is checked before LMDB sees it, and a short file is padded with zeros
 * to the length it claims: LMDB then reports the lost pages as corrupted, or does without them where an older snapshot
 * is intact. Returns the length before padding; undefined if none was needed.
 */
export function checkEnvironment(directory: string): number | undefined {
  const file = openIfPresent(join(directory, DATA_FILE));
  if (file === undefined) return undefined;
  try {
    const { size } = fstatSync(file);
    if (size === 0) return undefined;
    const { pageSize, metas } = readMetas(file, directory);
    const claimed = (greatestOf(metas, META.lastPage) + 1) * pageSize;
    if (claimed <= size) return undefined;
    if (claimed > 2 ** 46) throw new ReadModelUnreadable(directory, 'its header claims an impossible length');
    ftruncateSync(file, claimed);
    return size;
  } finally {
    closeSync(file);
  }
}

/** How many transactions have ever been committed to the file; 0 without one. */
export function commitsIn(directory: string): number {
  const file = openIfPresent(join(directory, DATA_FILE));
  if (file === undefined) return 0;
  try {
    return fstatSync(file).size === 0 ? 0 : greatestOf(readMetas(file, directory).metas, META.commits);
  } finally {
    closeSync(file);
  }
}

/** Removes the padding, so that the next start finds the same damage and not a file of plausible length. */
export const unpad = (directory: string, length: number): void => truncateSync(join(directory, DATA_FILE), length);

function openIfPresent(path: string): number | undefined {
  try {
    return openSync(path, 'r+');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The two that LMDB writes in turns. */
function readMetas(file: number, directory: string): Readonly<{ pageSize: number; metas: readonly Buffer[] }> {
  const first = readMeta(file, 0, directory);
  const pageSize = first.readUInt32LE(META.pageSize);
  if (pageSize < 256 || pageSize > 65536) throw new ReadModelUnreadable(directory, 'its page size is impossible');
  return { pageSize, metas: [first, readMeta(file, pageSize, directory)] };
}

const greatestOf = (metas: readonly Buffer[], field: number): number =>
  Math.max(...metas.map((meta) => Number(meta.readBigUInt64LE(field))));

function readMeta(file: number, at: number, directory: string): Buffer {
  const page = Buffer.alloc(META.bytes);
  const whole = readSync(file, page, 0, META.bytes, at) === META.bytes;
  const isMeta =
    whole &&
    (page.readUInt16LE(META.flags) & IS_META_PAGE) !== 0 &&
    page.readUInt32LE(META.magic) === MAGIC &&
    (page.readUInt32LE(META.version) & 0xffff) === VERSION;
  if (!isMeta) throw new ReadModelUnreadable(directory, 'its header is not one of this store');
  return page;
}

const BROKEN_FILE = /^MDB_(CORRUPTED|INVALID|PAGE_NOTFOUND|PANIC|VERSION_MISMATCH)|^MDB_BAD_TXN.*freelist/;

/** Names the directory if LMDB or the JSON inside reports a broken file; any other error is returned unchanged. */
export function asUnreadable(directory: string, error: unknown): unknown {
  // By name and text: errors from LMDB's native part are not always instances of the Error known here.
  const { name, message } = error as { name?: unknown; message?: unknown };
  if (typeof message !== 'string' || (name !== 'SyntaxError' && !BROKEN_FILE.test(message))) return error;
  return new ReadModelUnreadable(directory, message.split('\n')[0] ?? message, error);
}

/** A failed commit reports its cause in a second promise, which needs a handler: unhandled it would end the process. */
export async function reasonOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: unknown };
  if (commitError === undefined) return error;
  const cause = Promise.resolve(commitError).catch((reason: unknown) => reason);
  const soon = new Promise((resolve) => setImmediate(resolve, error));
  return Promise.race([cause, soon]);
}
