import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Makes created, removed and renamed entries durable, which flushing the files themselves does not ensure. */
export function flushDirectory(directory: string): void {
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
