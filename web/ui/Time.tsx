import { useEffect, useState } from 'react';
import { serviceNow } from '../live/clock.ts';
import { exactTime, relativeTime, remaining } from './time-words.ts';

/** The current time by the service's clock, updated regularly, for relative times. */
export function useNow(everyMs = 10_000): number {
  const [now, setNow] = useState(() => serviceNow());
  useEffect(() => {
    const timer = setInterval(() => setNow(serviceNow()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

/** How long ago or how far ahead, with the exact time on hover. */
export function Time({ at }: Readonly<{ at: string }>) {
  const now = useNow();
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(at, now)}
    </time>
  );
}

/** Counts down by the second, then shows `over`. */
export function Countdown({ until, over = 'expired' }: Readonly<{ until: string; over?: string }>) {
  const now = useNow(1_000);
  const seconds = Math.floor((new Date(until).getTime() - now) / 1000);
  return (
    <time dateTime={until} title={exactTime(until)}>
      {seconds < 0 ? over : remaining(seconds)}
    </time>
  );
}
