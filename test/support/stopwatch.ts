const TICK_MS = 20;
const LONGEST_TICK_MS = 5 * TICK_MS;

/**
 * Measures how long this process has been at work, in milliseconds. While a busy machine lets the whole process stand
 * still, nothing happens in it that could be too slow: that time is not counted.
 */
export function startStopwatch(): () => number {
  let worked = 0;
  let last = performance.now();
  const tick = (): void => {
    const now = performance.now();
    worked += Math.min(now - last, LONGEST_TICK_MS);
    last = now;
  };
  const timer = setInterval(tick, TICK_MS);
  return () => {
    clearInterval(timer);
    tick();
    return worked;
  };
}
