/** Time arrives from outside so that a test can own it. */
export type Clock = Readonly<{ now(): Date }>;

export const CLOCK = Symbol('Clock');

export const systemClock: Clock = { now: () => new Date() };

/** RFC 3339 UTC with milliseconds, the one form in which times leave or enter the log. */
export const timestamp = (date: Date): string => date.toISOString();

export const addSeconds = (date: Date, seconds: number): Date => new Date(date.getTime() + seconds * 1000);
