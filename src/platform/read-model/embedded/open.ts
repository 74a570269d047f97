import { chmodSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { onDisk } from '../../../kernel/on-disk';
import { DirectoryLock } from '../../directory-lock';
import { FileNote, headerProblem, type Left } from '../../lmdb-file';
import { type ReadModelStore } from '../read-model.port';
import { LmdbReadModelStore } from './lmdb-store';
import { openTables, openTablesReadOnly, ReadModelUnreadable, type Tables, unreadable } from './tables';

const DATA_FILE = 'data.mdb';
const LOCK_FILE = 'lock.mdb';
const NOTE_FILE = 'note';

export type EmbeddedReadModelOptions = Readonly<{
  /** Keeps a second process away, where the lock of the embedded event store does not; rejects with StoreInUse. */
  isLocked?: boolean;
  /** Told why the file is not trusted: the read model begins empty and is built from the log. */
  onDiscard?: (why: Error) => void;
}>;

/** For the process that writes it. */
export async function openEmbeddedReadModel(
  directory: string,
  { isLocked, onDiscard }: EmbeddedReadModelOptions = {},
): Promise<LmdbReadModelStore> {
  mkdirSync(directory, { recursive: true });
  // Readable only by its owner, like the log it is built from; LMDB's default would let everyone read it.
  chmodSync(directory, 0o700);
  const lock = isLocked === true ? await DirectoryLock.acquire(directory) : undefined;
  try {
    return await openNoted(directory, onDiscard, () => lock?.release());
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** For another thread of a process that has opened it. */
export const openEmbeddedReadModelBeside = async (directory: string): Promise<LmdbReadModelStore> =>
  new LmdbReadModelStore(directory, await openTables(directory), noteOf(directory));

/** For setting bookmarks while another process writes the read model; if none does, this process holds it meanwhile. */
export const openEmbeddedReadModelToMark = (directory: string): Promise<LmdbReadModelStore> =>
  noteOf(directory).read() === 'closed' ? openEmbeddedReadModel(directory) : openEmbeddedReadModelBeside(directory);

/** Read-only, while another process may write: sees what that process has committed. */
export async function openEmbeddedReadModelReadOnly(directory: string): Promise<ReadModelStore> {
  const note = noteOf(directory);
  const why = whyUntrusted(directory, note);
  if (why !== undefined) throw why;
  try {
    return new LmdbReadModelStore(directory, openTablesReadOnly(directory), note);
  } catch (error) {
    throw unreadable(directory, error) ?? error;
  }
}

const noteOf = (directory: string): FileNote => new FileNote(join(directory, NOTE_FILE));

async function openNoted(
  directory: string,
  onDiscard: EmbeddedReadModelOptions['onDiscard'],
  release: () => void,
): Promise<LmdbReadModelStore> {
  const note = noteOf(directory);
  const beginEmpty = (why: Error): void => {
    onDiscard?.(why);
    for (const name of [DATA_FILE, LOCK_FILE]) rmSync(join(directory, name), { force: true });
  };
  const why = whyUntrusted(directory, note);
  note.opening();
  if (why !== undefined) beginEmpty(why);
  let tables: Tables;
  try {
    tables = await openAndTry(directory);
  } catch (error) {
    const found = unreadable(directory, error);
    if (found === undefined) throw error;
    beginEmpty(found);
    tables = await openAndTry(directory);
  }
  note.open();
  return new LmdbReadModelStore(directory, tables, note, () => noteClosed(directory, note).finally(release));
}

const DISTRUST: Readonly<Record<Exclude<Left, 'closed' | 'in use'>, string>> = {
  opening: 'a process ended while it opened it, or found it damaged',
  'cut off': 'it was in use when the machine went down',
  unknown: 'nothing says how it was left',
};

/** Writes do not wait for the disk: when the machine goes down, any page may be older than the others yet valid. */
function whyUntrusted(directory: string, note: FileNote): ReadModelUnreadable | undefined {
  const file = join(directory, DATA_FILE);
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return undefined;
  const left = note.read();
  const why = left === 'closed' || left === 'in use' ? headerProblem(file) : DISTRUST[left];
  return why === undefined ? undefined : new ReadModelUnreadable(directory, why);
}

/** A damaged page may end the process as soon as it is reached: reads and writes a little while the note says so. */
async function openAndTry(directory: string): Promise<Tables> {
  const tables = await openTables(directory);
  try {
    tables.environment.transactionSync(() => {
      for (const table of [tables.documents, tables.indexes]) Array.from(table.getRange({ limit: 1 }));
      tables.state.putSync('opened', '');
    });
    return tables;
  } catch (error) {
    await tables.environment.close();
    throw error;
  }
}

/** What the disk refused may be lost although the machine goes on: the file is not trusted any more. */
async function noteClosed(directory: string, note: FileNote): Promise<void> {
  if (note.read() === 'opening' || !existsSync(join(directory, DATA_FILE))) return;
  try {
    await onDisk(join(directory, DATA_FILE), 'r+');
  } catch {
    note.opening();
    return;
  }
  note.closed();
}
