import { type Check, integer } from './checks';

/** A query carries text: matched as text first, because Number() accepts '', ' 5' and '0x10'. */
export const wholeNumber = (min: number, max: number, description: string): Check => ({
  problems: (value) => {
    const written = typeof value === 'string' && /^(?:0|[1-9]\d{0,15})$/.test(value) ? Number(value) : NaN;
    const valid = Number.isSafeInteger(written) && written >= min && written <= max;
    return valid ? [] : [{ code: 'out_of_range', message: `must be a whole number from ${min} to ${max}` }];
  },
  schema: integer(min, max, description).schema,
});
