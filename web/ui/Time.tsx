import { useEffect, useState } from 'react';
import { serviceNow } from '../live/clock.ts';

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

/** Now by the service's clock, again every so often, for what is shown relative to it. */
export function useNow(everyMs = 10_000): number {
  const [now, setNow] = useState(() => serviceNow());
  useEffect(() => {
    const timer = setInterval(() => setNow(serviceNow()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

export const exactTime = (at: string): string => exact.format(new Date(at));

export function relativeTime(at: string, now: number): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1000);
  const size = Math.abs(seconds);
  if (size < 10) return 'just now';
  if (size >= 30 * 86_400) return day.format(new Date(at));
  const [unit, length] = STEPS.find(([, step]) => size >= step) ?? (['second', 1] as const);
  return relative.format(Math.trunc(seconds / length), unit);
}

/** How long ago or until, with the exact time on hover. */
export function Time({ at }: Readonly<{ at: string }>) {
  const now = useNow();
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(at, now)}
    </time>
  );
}

/** Counts down by the second, then says so. */
export function Countdown({ until, over = 'expired' }: Readonly<{ until: string; over?: string }>) {
  const now = useNow(1_000);
  const seconds = Math.floor((new Date(until).getTime() - now) / 1000);
  return (
    <time dateTime={until} title={exactTime(until)}>
      {seconds < 0 ? over : remaining(seconds)}
    </time>
  );
}

function remaining(seconds: number): string {
  if (seconds >= 172_800) return `${Math.floor(seconds / 86_400)} days`;
  const part = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${part(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${part(minutes % 60)}:${part(seconds % 60)}`;
}
