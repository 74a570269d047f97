import { setTimeout as delay } from 'node:timers/promises';

/** Waits, or ends early and quietly when the signal aborts. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch {
    // Aborted: the caller checks its signal.
  }
}

/** Waits for the work to end, but no longer than this, and says whether it ended. No timer outlives the wait. */
export async function endsWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  try {
    return await Promise.race([work.then(() => true), overdue]);
  } finally {
    clearTimeout(timer);
  }
}
