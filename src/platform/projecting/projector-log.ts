import { StoreUnavailable } from '../event-store/event-store.port';
import { pause } from '../../kernel/pause';

type Say = (fields: object, message: string) => void;
export type ProjectorLog = Readonly<{ info: Say; warn: Say }>;

/** Logs the failure, then waits, longer with each failure. */
export async function warnAndPause(
  log: ProjectorLog,
  failures: number,
  fields: object,
  message: string,
  signal: AbortSignal,
): Promise<void> {
  log.warn(fields, message);
  await pause(Math.min(50 * 2 ** failures, 5_000), signal);
}

/** For what is tried again when the store is back; every other failure is thrown. */
export function undefinedIfUnavailable(error: unknown): undefined {
  if (!(error instanceof StoreUnavailable)) throw error;
}
