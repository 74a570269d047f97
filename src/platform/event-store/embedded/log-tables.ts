import { type Database, open, type RootDatabase } from 'lmdb';

/** Two tables in one file: the log in global order, and the positions of each stream's events in it. */
export type LogTables = Readonly<{
  root: RootDatabase<Buffer, number>;
  log: Database<Buffer, number>;
  streams: Database<number, [stream: string, version: number]>;
}>;

export function openTables(file: string, access: 'write' | 'read'): LogTables {
  const root = open<Buffer, number>(file, {
    noSubdir: true,
    readOnly: access === 'read',
    // A commit resolves when it is on disk, not when it is merely visible.
    overlappingSync: false,
    // With it, lmdb keeps an internal promise that rejects unhandled when a commit fails, which ends the process.
    eventTurnBatching: false,
  });
  return {
    root,
    log: root.openDB<Buffer, number>('log', { encoding: 'binary' }),
    streams: root.openDB<number, [string, number]>('streams', { encoding: 'json' }),
  };
}
