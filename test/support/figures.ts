import { appendFileSync } from 'node:fs';
import { seededRandom, seedFrom } from './seeded';

/** What a suite tried and how often a promise was broken. */
export type Figure = Readonly<{
  promise: string;
  tried: number;
  /** What was promised and is not there. */
  lost: number;
  /** What is there and should not be: twice, or after a refusal. */
  doubled: number;
  seed?: number;
  /** The longest anybody had to wait, where the promise names a time. */
  slowestMs?: number;
}>;

export type Told = Readonly<{ figure: Figure } | { done: number; of: number }>;

/** Tells the chaos runner a figure; in a usual run nobody listens. Call it before the expectations, so that a broken promise shows its figure. */
export const figure = (told: Figure): void => tell({ figure: told });

/** Of so many tries exactly so many were to succeed, or be there. */
export const countFigure = (promise: string, tried: number, wanted: number, found: number, seed?: number): void =>
  figure({
    promise,
    tried,
    lost: Math.max(0, wanted - found),
    doubled: Math.max(0, found - wanted),
    ...(seed === undefined ? {} : { seed }),
  });

/** How far a long test has come. */
export const progress = (done: number, of: number): void => tell({ done, of });

function tell(told: Told): void {
  const report = process.env['CHAOS_REPORT'];
  if (report) appendFileSync(report, `${JSON.stringify(told)}\n`);
}

/** How many rounds, calls or runs: few in the usual run, as many as the figure demands in the full form. */
export function sizeFrom(variable: string, usual: number): number {
  const given = process.env[variable];
  if (given === undefined || given === '') return usual;
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new Error(`${variable} must be a whole number above 0`);
  return Number(given);
}

/** So many who come at the same moment for what one of them may have: a thousand in the full form. */
export const AT_ONCE = sizeFrom('CHAOS_AT_ONCE', 200);

/** The seed that was asked for, or a new one; whoever takes it puts it into the test's name. */
export const seedOfRun = (): number => seedFrom('SEED') ?? seededRandom().seed;

/** A test's time limit. The full form may take an hour: that it ends is what counts there. */
export const timeLimit = (usualMs: number): number => (process.env['CHAOS_REPORT'] ? 3_600_000 : usualMs);
