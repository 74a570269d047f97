/** The clock is passed in so that a test can control time. */
export type Clock = Readonly<{ now(): Date }>;

export const CLOCK = Symbol('Clock');

export const systemClock: Clock = { now: () => new Date() };

let last: Readonly<{ ms: number; text: string }> = { ms: NaN, text: '' };

/** RFC 3339 UTC with milliseconds, the one form of times in the log. Under load many calls share a millisecond. */
export function timestamp(date: Date): string {
  const ms = date.getTime();
  if (ms !== last.ms) last = { ms, text: date.toISOString() };
  return last.text;
}

export const addSeconds = (date: Date, seconds: number): Date => new Date(date.getTime() + seconds * 1000);
