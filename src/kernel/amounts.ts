import { type Issue } from './errors';

/**
 * Amounts are decimal strings from the caller to the wallet, and integers in between: a binary fraction cannot
 * represent 0.1, and an amount must never change on the way.
 */
const DECIMAL = /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;
const MAX_AMOUNT_LENGTH = 80;

/** No sign, no exponent, no leading zeros, a point only between digits, and greater than zero. */
export const isAmount = (text: unknown): boolean =>
  typeof text === 'string' && text.length <= MAX_AMOUNT_LENGTH && DECIMAL.test(text) && /[1-9]/.test(text);

/** Digits after the point as written: trailing zeros count, since a wallet would have to carry them too. */
export function fractionDigits(text: string): number {
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.length - point - 1;
}

/** What is wrong with an amount of an asset that has this many decimals, if anything. */
export function checkAmount(amount: unknown, decimals: number): Omit<Issue, 'field'> | undefined {
  if (typeof amount === 'string' && amount.length > MAX_AMOUNT_LENGTH && DECIMAL.test(amount))
    return {
      code: 'too_long',
      message: `The amount is too long. Write it with at most ${MAX_AMOUNT_LENGTH} characters.`,
    };
  if (typeof amount !== 'string' || !isAmount(amount))
    return {
      code: 'invalid_amount',
      message:
        'Write the amount as a plain decimal string above zero, such as "12.5": no sign, exponent or leading zeros.',
    };
  if (fractionDigits(amount) > decimals)
    return {
      code: 'too_many_fraction_digits',
      message: `This asset has ${decimals} decimals. Write at most ${decimals} digits after the point.`,
    };
  return undefined;
}

/** Negative when a is less, zero when equal, positive when more. Zero itself may be compared, added and subtracted. */
export function compareAmounts(a: string, b: string): -1 | 0 | 1 {
  const scale = commonScale(a, b);
  const left = toUnits(a, scale);
  const right = toUnits(b, scale);
  return left < right ? -1 : left > right ? 1 : 0;
}

export function addAmounts(a: string, b: string): string {
  const scale = commonScale(a, b);
  return fromUnits(toUnits(a, scale) + toUnits(b, scale), scale);
}

/** Amounts are never negative: subtracting more than there is means that an earlier check was missed. */
export function subtractAmounts(a: string, b: string): string {
  const scale = commonScale(a, b);
  const difference = toUnits(a, scale) - toUnits(b, scale);
  if (difference < 0n) throw new RangeError('an amount cannot be less than zero');
  return fromUnits(difference, scale);
}

/** In the smallest units of an asset with this many decimals, as chains count. */
export const unitsOf = (amount: string, decimals: number): bigint => toUnits(amount, decimals);

/** One spelling per amount, for comparison as text: no trailing zeros, no point without a fraction. */
export function shortestAmount(amount: string): string {
  if (typeof amount !== 'string' || !DECIMAL.test(amount)) throw new TypeError('not a decimal amount');
  if (!amount.includes('.')) return amount;
  // One step for each zero: an auditor's log may hold an amount that no check has seen, of any length.
  let end = amount.length;
  while (amount[end - 1] === '0') end -= 1;
  return amount.slice(0, amount[end - 1] === '.' ? end - 1 : end);
}

const commonScale = (a: string, b: string): number => Math.max(fractionDigits(a), fractionDigits(b));

function toUnits(text: string, scale: number): bigint {
  if (!DECIMAL.test(text)) throw new TypeError('not a decimal amount');
  return BigInt(text.replace('.', '')) * 10n ** BigInt(scale - fractionDigits(text));
}

/** The shortest spelling: no trailing zeros, no point without a fraction. */
function fromUnits(units: bigint, scale: number): string {
  const digits = units.toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
