import { type Check, isPlainObject, type Problem } from './checks';
import { namesPaymentFact } from '../../kernel/payment-fact-names';

const MOST_FACTS = 100;
const LONGEST_KEY = 100;

/** Keys that mean a payment fact, beside those that belong there. */
export const factsAmong = (value: object, allowed: readonly string[]): readonly Problem[] =>
  Object.keys(value)
    .filter((key) => !allowed.includes(key) && namesPaymentFact(key))
    .slice(0, MOST_FACTS)
    .map((key) => ({
      code: 'payment_fact_not_accepted',
      message: 'follows from the recipient version; leave it out',
      path: key.slice(0, LONGEST_KEY).toWellFormed(),
    }));

/** For an object that must not hold facts of its own; `allowed` are the keys it is for. */
export const withoutFacts = (check: Check, allowed: readonly string[]): Check => ({
  ...check,
  problems: (value) => [...check.problems(value), ...(isPlainObject(value) ? factsAmong(value, allowed) : [])],
});
