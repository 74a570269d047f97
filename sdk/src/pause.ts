/** Timers count milliseconds in 31 bits, about 24 days; anything longer would end at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Resolves after the given time, or as soon as the signal aborts. */
export const pause = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(milliseconds, MAX_TIMER_MS));
    signal?.addEventListener('abort', end, { once: true });
  });
