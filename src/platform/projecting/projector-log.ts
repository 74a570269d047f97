import { pause } from '../../kernel/pause';

type Say = (fields: object, message: string) => void;
export type ProjectorLog = Readonly<{ info: Say; warn: Say }>;

/** Says what went wrong, and waits: the longer, the more often it did. */
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
