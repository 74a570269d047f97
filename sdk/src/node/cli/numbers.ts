import { usage } from './exit-codes.ts';

/** A whole number from an option, within bounds; undefined if it was not given. */
export function wholeNumber(text: string | undefined, option: string, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d{1,16}$/.test(text) || value > most) throw usage(`--${option} must be a whole number of at most ${most}`);
  return value;
}
