import { endsWithin } from '../kernel/pause';

/** Operators are told to wait fifteen seconds before they kill it. */
const STOP_TIMEOUT_MS = 13_000;

type Log = Readonly<{ error(fields: object, message: string): void }>;

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
  try {
    // Without a code it exits with `process.exitCode`, which a failure may have set.
    if (await endsWithin(timeoutMs, stopped)) return exit();
    logger.error(
      { timeout_ms: timeoutMs },
      'stopping took too long: exiting with work unfinished; nothing acknowledged is lost',
    );
  } catch (error) {
    logger.error({ err: error }, 'stopping failed');
  }
  exit(1);
}

/** Node treats `process.exit(undefined)` as a code, 0, that replaces `process.exitCode`. */
const exitWith = (code?: number): void => (code === undefined ? process.exit() : process.exit(code));
