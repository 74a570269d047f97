/** Rough pauses end at multiples of this, those that are not shorter than two of them at every second one. */
const STEP_MS = 250;

type Step = Readonly<{ timer: NodeJS.Timeout; waiting: Set<() => void> }>;

/** By the number of steps since the process started. */
const waits = new Map<number, Step>();

/**
 * For what looks now and then whether there is something to do: waits for about this long, ends together with the
 * other rough pauses, and early and quietly when the signal aborts. While nothing happens, waking the process costs
 * more than all that is looked at. Does not keep the process alive.
 */
export function roughPause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const now = performance.now();
  // Rounded, because a pause is shortened by the work before it.
  const steps = Math.round(milliseconds / STEP_MS) < 2 ? 1 : 2;
  const multiple = steps * STEP_MS;
  const number = steps * Math.max(Math.round((now + milliseconds) / multiple), Math.floor(now / multiple) + 1);
  const { waiting } = waits.get(number) ?? newStep(number, now);
  return new Promise((resolve) => {
    const end = (): void => {
      signal.removeEventListener('abort', abort);
      resolve();
    };
    const abort = (): void => {
      waiting.delete(end);
      if (waiting.size === 0) drop(number);
      end();
    };
    signal.addEventListener('abort', abort);
    waiting.add(end);
  });
}

function newStep(number: number, now: number): Step {
  const waiting = new Set<() => void>();
  const timer = setTimeout(
    () => {
      drop(number);
      for (const end of waiting) end();
    },
    Math.ceil(number * STEP_MS - now),
  ).unref();
  const step = { timer, waiting };
  waits.set(number, step);
  return step;
}

function drop(number: number): void {
  clearTimeout(waits.get(number)?.timer);
  waits.delete(number);
}

/** Does this about that often. Returns what stops it. */
export function roughInterval(work: () => void, milliseconds: number): () => void {
  const stopping = new AbortController();
  void (async () => {
    for (;;) {
      await roughPause(milliseconds, stopping.signal);
      if (stopping.signal.aborted) return;
      work();
    }
  })();
  return () => stopping.abort();
}
