import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { flushDirectory } from '../../../kernel/flush-directory';
import { type AppendResult, type EventStore } from '../event-store.port';
import { DirectoryLock } from '../../directory-lock';
import { FileNote, headerProblem } from '../../lmdb-file';
import { EmbeddedEventStore } from './embedded-event-store';
import { StoreCorrupt } from './errors';
import { EventLog } from './event-log';
import { type LogTables, openTables } from './log-tables';
import { type ThreadLink } from '../../threads/thread-link';
import { appendFor, AskingEventStore } from './two-threads';
import { verifyLog } from './verify-log';

const LOG_FILE = 'events.mdb';
const NOTE_FILE = 'note';
const BROKEN_FILE = /^MDB_(CORRUPTED|INVALID|PAGE_NOTFOUND|PANIC|VERSION_MISMATCH)/;
/** How often a reader beside a running service polls for new events: nothing in the file can wake it. */
const POLL_INTERVAL_MS = 100;

/**
 * The log in its own directory, created if missing. Rejects with StoreInUse or StoreCorrupt; their message is one line.
 * With a link, another thread may read the log too, and append through this store.
 */
export async function openEmbeddedEventStore(directory: string, link?: ThreadLink): Promise<EventStore> {
  const home = resolve(directory);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const lock = await DirectoryLock.acquire(home);
  try {
    const file = join(home, LOG_FILE);
    if (!existsSync(file)) await create(home, file);
    const note = await readable(file);
    // Every append is on the disk: nothing here depends on whether it is closed in order.
    note.opening();
    const log = await openLog(file, 'write');
    note.open();
    const store = new EmbeddedEventStore(log, () => lock.release());
    if (link !== undefined) appendFor(link, store);
    return store;
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** For another thread of the process that has the log open: takes no lock and repeats no check. */
export function openEmbeddedEventStoreBeside(directory: string, link: ThreadLink): EventStore {
  const file = join(resolve(directory), LOG_FILE);
  return new AskingEventStore(new EventLog(file, openTables(file, 'write')), link);
}

/** For auditors, with or without a running service; takes no lock and refuses to append. */
export async function openEmbeddedEventStoreReadOnly(directory: string): Promise<EventStore> {
  const file = join(resolve(directory), LOG_FILE);
  await readable(file);
  return new ReadOnlyEventStore(await openLog(file, 'read'));
}

/** Rejects with StoreCorrupt unless every event, and all of the index, is as it was written. */
export async function verifyEmbeddedEventStore(directory: string): Promise<void> {
  const file = join(resolve(directory), LOG_FILE);
  await readable(file);
  await verifyLog(file);
}

class ReadOnlyEventStore extends EmbeddedEventStore {
  constructor(log: EventLog) {
    const looking = setInterval(() => {
      log.tables.root.resetReadTxn();
      this.bell.ring();
    }, POLL_INTERVAL_MS);
    super(log, () => clearInterval(looking));
  }

  override append(): Promise<AppendResult> {
    return Promise.reject(new Error('the event store was opened for reading only'));
  }
}

/** Rejects with StoreCorrupt if the engine must not be given the file; otherwise resolves with the note beside it. */
async function readable(file: string): Promise<FileNote> {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw new Error(`${file}: there is no event store`);
  const problem = size === 0 ? 'it is empty' : headerProblem(file);
  if (problem !== undefined) throw new StoreCorrupt(file, problem);
  const note = new FileNote(join(dirname(file), NOTE_FILE));
  // The file may be what ended the last process that opened it: another one finds out, and says where it is damaged.
  if (note.read() === 'opening') await verifyLog(file);
  return note;
}

/** Every record is checked when it is read; the newest ones here. */
async function openLog(file: string, access: 'write' | 'read'): Promise<EventLog> {
  let tables: LogTables | undefined;
  try {
    tables = openTables(file, access);
    const log = new EventLog(file, tables);
    log.assertTail();
    return log;
  } catch (error) {
    await tables?.root.close();
    const { message } = error as Error;
    throw BROKEN_FILE.test(message) ? new StoreCorrupt(file, `it cannot be read (${message})`) : error;
  }
}

/** Created under another name, then renamed: a file with the log's name was once complete; an empty one is damaged. */
async function create(home: string, file: string): Promise<void> {
  const unfinished = join(home, 'creating.mdb');
  const remove = (): void => [unfinished, `${unfinished}-lock`].forEach((path) => rmSync(path, { force: true }));
  remove();
  await openTables(unfinished, 'create').root.close();
  renameSync(unfinished, file);
  remove();
  flushDirectory(home);
}
