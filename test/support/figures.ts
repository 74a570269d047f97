import { appendFileSync } from 'node:fs';
import { seededRandom, seedFrom } from './seeded';

/** What a suite tried and how often a promise was broken. */
export type Figure = Readonly<{
  promise: string;
  tried: number;
  /** What was promised but is missing. */
  lost: number;
  /** What exists but should not: duplicates, or effects of a refused call. */
  doubled: number;
  seed?: number;
  /** The longest wait, if the promise includes a time. */
  slowestMs?: number;
}>;

export type ReportLine = Readonly<{ figure: Figure } | { done: number; of: number }>;

/** Reports a figure to the chaos runner, if there is one. Call it before the expectations: a failure shows it too. */
export const figure = (reported: Figure): void => report({ figure: reported });

/** Of `tried` attempts, exactly `wanted` should have succeeded, and `found` did. */
export const countFigure = (promise: string, tried: number, wanted: number, found: number, seed?: number): void =>
  figure({
    promise,
    tried,
    lost: Math.max(0, wanted - found),
    doubled: Math.max(0, found - wanted),
    ...(seed === undefined ? {} : { seed }),
  });

/** The progress of a long test. */
export const progress = (done: number, of: number): void => report({ done, of });

function report(line: ReportLine): void {
  const file = process.env['CHAOS_REPORT'];
  if (file) appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** How many rounds, calls or runs: few in a usual run, as many as the figure demands in a full-size run. */
export function sizeFrom(variable: string, usual: number): number {
  const given = process.env[variable];
  if (given === undefined || given === '') return usual;
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new Error(`${variable} must be a whole number above 0`);
  return Number(given);
}

/** How many callers compete at once for what only one may get: a thousand in a full-size run. */
export const AT_ONCE = sizeFrom('CHAOS_AT_ONCE', 60);

/** The requested seed, or a new one; tests put it into their name. */
export const seedOfRun = (): number => seedFrom('SEED') ?? seededRandom().seed;

/** A test's time limit. A full-size run may take an hour: all that counts there is that it ends. */
export const timeLimit = (usualMs: number): number => (process.env['CHAOS_REPORT'] ? 3_600_000 : usualMs);
