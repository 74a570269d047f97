import { type Database, open, type RootDatabase } from 'lmdb';

/** Two tables in one file: the log in global order, and where each stream's events stand in it. */
export type LogTables = Readonly<{
  root: RootDatabase<Buffer, number>;
  log: Database<Buffer, number>;
  streams: Database<number, [stream: string, version: number]>;
}>;

export function openTables(file: string, access: 'write' | 'read'): LogTables {
  const root = open<Buffer, number>(file, {
    noSubdir: true,
    readOnly: access === 'read',
    // A commit answers when it is on disk, not when it is merely visible.
    overlappingSync: false,
    // With it, lmdb keeps a promise to itself that rejects unheard when a commit fails, and that ends the process.
    eventTurnBatching: false,
  });
  return {
    root,
    log: root.openDB<Buffer, number>('log', { encoding: 'binary' }),
    streams: root.openDB<number, [string, number]>('streams', { encoding: 'json' }),
  };
}
