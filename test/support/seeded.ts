import { randomInt } from 'node:crypto';

export type Random = Readonly<{
  seed: number;
  /** From 0 up to but not including `end`. */
  below(end: number): number;
  pick<T>(from: readonly T[]): T;
}>;

/** A small xorshift generator: not for secrets, but the same seed gives the same run. */
export function seededRandom(seed: number = randomInt(1, 2 ** 31)): Random {
  let state = seed | 0 || 1;
  const below = (end: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % end;
  };
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  return { seed, below, pick };
}

/** The seed of the run to repeat, if one was given. */
export const seedFrom = (variable: string): number | undefined => {
  const given = process.env[variable];
  if (given === undefined || given === '') return undefined;
  if (!/^\d{1,10}$/.test(given)) throw new Error(`${variable} must be a whole number`);
  return Number(given);
};
