import { type Database, open, type RootDatabase } from 'lmdb';
import { StoreCorrupt } from './errors';

/** Two tables in one file: the log in global order, and the positions of each stream's events in it. */
export type LogTables = Readonly<{
  root: RootDatabase<Buffer, number>;
  log: Database<Buffer, number>;
  streams: Database<number, [stream: string, version: number]>;
}>;

/** Throws StoreCorrupt if it is a file of the engine without a log: only `create` makes one. */
export function openTables(file: string, access: 'create' | 'write' | 'read'): LogTables {
  const root = open<Buffer, number>(file, {
    noSubdir: true,
    readOnly: access === 'read',
    // A commit resolves when it is on disk, not when it is merely visible.
    overlappingSync: false,
    // With it, lmdb keeps an internal promise that rejects unhandled when a commit fails, which ends the process.
    eventTurnBatching: false,
  });
  const tables = Array.from(root.getKeys() as Iterable<unknown>);
  if (access !== 'create' && !(tables.includes('log') && tables.includes('streams'))) {
    void root.close();
    throw new StoreCorrupt(file, 'it holds no event log');
  }
  return {
    root,
    log: root.openDB<Buffer, number>('log', { encoding: 'binary' }),
    streams: root.openDB<number, [string, number]>('streams', { encoding: 'json' }),
  };
}
