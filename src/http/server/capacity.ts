import { readFileSync } from 'node:fs';

/** Files this process keeps open besides its callers' connections: stores, mail, webhooks in flight. */
const OWN_FILES = 256;
const MAX_CONNECTIONS = 16_384;

export type Capacity = Readonly<{
  connections: number;
  /** Callers whose response is held back for news. Half, so that they can never take every connection. */
  waiters: number;
  /** At most this many of them for one feed. */
  waitersEach: number;
}>;

/** Without a limit of our own we would hit the system's first, and then could open nothing, not even our own files. */
export function capacityWithin(openFiles: number): Capacity {
  const connections = Math.min(MAX_CONNECTIONS, Math.max(Math.floor(openFiles / 2), openFiles - OWN_FILES));
  const waiters = Math.floor(connections / 2);
  return { connections, waiters, waitersEach: Math.max(8, Math.floor(waiters / 16)) };
}

/** Node has raised the soft limit to the hard limit by now. Without this file the limit is unknown. */
export function openFilesLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}

export const capacity = capacityWithin(openFilesLimit());
