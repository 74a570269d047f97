import { endsWithin } from '../kernel/pause';

/** Operators are told to wait fifteen seconds before they kill it. */
const STOP_TIMEOUT_MS = 13_000;
/** Whoever reads the log may pause for as long as they like. */
const LOG_TIMEOUT_MS = 500;

type Log = Readonly<{ error(fields: object, message: string): void; flush(done: () => void): void }>;

/**
 * Ends the process when `stopped` does, or when that takes too long, for example because a store is frozen. Ending then
 * is safe: a killed process loses nothing that it has acknowledged either.
 */
export async function exitInTime(
  stopped: Promise<void>,
  logger: Log,
  exit: (code?: number) => void = exitWith,
  timeoutMs = STOP_TIMEOUT_MS,
): Promise<void> {
  const hasStopped = await stopsInTime(stopped, logger, timeoutMs);
  // What is left at exit is written synchronously, and again and again if nobody has the other end open any more: only
  // an attempt before that finds it out.
  await endsWithin(LOG_TIMEOUT_MS, new Promise<void>((resolve) => logger.flush(resolve)));
  // Without a code it exits with `process.exitCode`, which a failure may have set.
  if (hasStopped) exit();
  else exit(1);
}

async function stopsInTime(stopped: Promise<void>, logger: Log, timeoutMs: number): Promise<boolean> {
  try {
    if (await endsWithin(timeoutMs, stopped)) return true;
    const message = 'stopping took too long: exiting with work unfinished; nothing acknowledged is lost';
    logger.error({ timeout_ms: timeoutMs }, message);
  } catch (error) {
    logger.error({ err: error }, 'stopping failed');
  }
  return false;
}

/** Node treats `process.exit(undefined)` as a code, 0, that replaces `process.exitCode`. */
const exitWith = (code?: number): void => (code === undefined ? process.exit() : process.exit(code));
