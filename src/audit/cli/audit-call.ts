import { type Config } from '../../platform/config';
import { openEventStoreReadOnly } from '../../platform/event-store/open-event-store';
import { type EventStore } from '../../platform/event-store/event-store.port';

/** Exit codes for scripts. */
export const EXIT = {
  fine: 0,
  /** The check found something wrong, or the requested record does not exist. */
  wrong: 1,
  usage: 2,
  /** Everything checked is consistent, but only under a key that nobody has vouched for: do not rely on it. */
  unvouched: 2,
  /** The stores could not be opened or read: nothing was checked. */
  unreadable: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The caller's mistake, reported in one line with a pointer to the help. */
export class UsageError extends Error {}

/** Results go to `out`, one line each; progress and remarks go to stderr. */
export type AuditCall = Readonly<{
  config: Config;
  json: boolean;
  out: (line: string) => void;
  note: (line: string) => void;
}>;

export async function withLog<T>({ config }: AuditCall, work: (store: EventStore) => Promise<T>): Promise<T> {
  const store = await openEventStoreReadOnly(config);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
