import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { flushDirectory } from '../../../kernel/flush-directory';
import { type AppendResult, type EventStore } from '../event-store.port';
import { DirectoryLock } from '../../directory-lock';
import { EmbeddedEventStore } from './embedded-event-store';
import { StoreCorrupt } from './errors';
import { EventLog } from './event-log';
import { openTables } from './log-tables';
import { type ThreadLink } from '../../threads/thread-link';
import { appendFor, AskingEventStore } from './two-threads';
import { verifyInChild } from './verify-in-child';

const LOG_FILE = 'events.mdb';
/** How often a reader beside a running service polls for new events: nothing in the file can wake it. */
const POLL_INTERVAL_MS = 100;

/** A log that no other process can open any more. */
export type ClaimedLog = Readonly<{
  /** Rejects with StoreCorrupt. With a link, another thread may read the log too, and append through this store. */
  open(link?: ThreadLink): Promise<EventStore>;
}>;

/** The log in its own directory, created if missing. Rejects with StoreInUse or StoreCorrupt; their message is one line. */
export const openEmbeddedEventStore = async (directory: string, link?: ThreadLink): Promise<EventStore> =>
  (await claimEmbeddedLog(directory)).open(link);

/** The first step of opening, for a caller that has something else to do while the log is checked. */
export async function claimEmbeddedLog(directory: string): Promise<ClaimedLog> {
  const home = resolve(directory);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const lock = await DirectoryLock.acquire(home);
  return { open: (link) => openClaimed(home, lock, link) };
}

async function openClaimed(home: string, lock: DirectoryLock, link?: ThreadLink): Promise<EventStore> {
  try {
    const file = join(home, LOG_FILE);
    if (existsSync(file)) await verify(file, 'write');
    else await create(home, file);
    const log = new EventLog(file, openTables(file, 'write'));
    const release = (): void => lock.release();
    const store = new EmbeddedEventStore(log, release);
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
  if (!existsSync(file)) throw new Error(`${file}: there is no event store`);
  await verify(file, 'read');
  return new ReadOnlyEventStore(new EventLog(file, openTables(file, 'read')));
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

async function verify(file: string, access: 'write' | 'read'): Promise<void> {
  if (statSync(file).size === 0) throw new StoreCorrupt(file, 'it is empty');
  await verifyInChild(file, access);
}

/** Created under another name, then renamed: a file with the log's name was once complete; an empty one is damaged. */
async function create(home: string, file: string): Promise<void> {
  const unfinished = join(home, 'creating.mdb');
  const remove = (): void => [unfinished, `${unfinished}-lock`].forEach((path) => rmSync(path, { force: true }));
  remove();
  await openTables(unfinished, 'write').root.close();
  renameSync(unfinished, file);
  remove();
  flushDirectory(home);
}
