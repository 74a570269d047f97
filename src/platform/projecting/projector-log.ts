import { StoreUnavailable } from '../event-store/event-store.port';
import { pause } from '../../kernel/pause';

type LogLine = (fields: object, message: string) => void;
export type ProjectorLog = Readonly<{ info: LogLine; warn: LogLine }>;

/** Logs the failure, then waits, longer with each failure. */
export async function warnAndBackOff(
  log: ProjectorLog,
  failures: number,
  fields: object,
  message: string,
  signal: AbortSignal,
): Promise<void> {
  log.warn(fields, message);
  await pause(Math.min(50 * 2 ** failures, 5_000), signal);
}

/** Swallows StoreUnavailable, because the work is retried when the store is back; rethrows every other failure. */
export function undefinedIfUnavailable(error: unknown): undefined {
  if (!(error instanceof StoreUnavailable)) throw error;
}
