import { MAX_ISSUES, pathWithin } from './issue-paths';
import { keysOf } from './keys-of';
import { type Check, isPlainObject, type Problem } from './checks';
import { factsAmong as namesOfFacts } from '../../kernel/payment-fact-names';

/** Keys that mean a payment fact, other than the allowed ones. */
export const factsAmong = (value: object, allowed: readonly string[]): readonly Problem[] =>
  strangeFacts(keysOf(value).filter(isNotAmong(new Set(allowed))));

const isNotAmong =
  (allowed: ReadonlySet<string>) =>
  (key: string): boolean =>
    !allowed.has(key);

const strangeFacts = (keys: readonly string[]): readonly Problem[] =>
  namesOfFacts(keys, MAX_ISSUES).map((at) => ({
    code: 'payment_fact_not_accepted',
    message: 'follows from the recipient version; leave it out',
    ...pathWithin({ key: keys[at] ?? '', parent: undefined }),
  }));

/** For an object that must not contain payment facts of its own; `allowed` are its legitimate keys. */
export const withoutFacts = (check: Check, allowed: readonly string[]): Check => ({
  ...check,
  problems: (value) => [...check.problems(value), ...(isPlainObject(value) ? factsAmong(value, allowed) : [])],
});
