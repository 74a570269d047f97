import { readFileSync } from 'node:fs';

/** What this process keeps open besides its callers: stores, mails, webhooks under way. */
const OWN_FILES = 256;
const MOST_CONNECTIONS = 16_384;

export type Capacity = Readonly<{
  connections: number;
  /** Callers whose answer is held back for news. Half, so that they can never take every connection. */
  waiters: number;
  /** Of these, at most so many for one credential. */
  waitersEach: number;
}>;

/** Without a bound of our own the system's would be met first, and then nothing can be opened, not even for ourselves. */
export function capacityWithin(openFiles: number): Capacity {
  const connections = Math.min(MOST_CONNECTIONS, Math.max(Math.floor(openFiles / 2), openFiles - OWN_FILES));
  const waiters = Math.floor(connections / 2);
  return { connections, waiters, waitersEach: Math.max(8, Math.floor(waiters / 16)) };
}

/** Node has raised the soft limit to the hard one by now. Where there is no such file the limit is not known. */
export function openFilesLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}

export const capacity = capacityWithin(openFilesLimit());
