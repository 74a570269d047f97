import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Names that have come, gone or changed in it are then on the disk, as a flush of the files themselves does not ensure. */
export function flushDirectory(directory: string): void {
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
