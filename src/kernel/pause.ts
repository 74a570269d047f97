import { setTimeout as delay } from 'node:timers/promises';

/** Waits, or ends early and quietly when the signal aborts. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch {
    // Aborted: the caller checks its signal.
  }
}
