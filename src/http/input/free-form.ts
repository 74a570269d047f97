import { payeesAmong } from '../../kernel/payment-fact-names';
import { type Check, isPlainObject, type Problem } from './checks';
import { MAX_ISSUES, pathWithin, type Step } from './issue-paths';
import { keysOf } from './keys-of';

const refused = {
  code: 'override_not_accepted',
  message: 'who is paid is fixed in the recipient; leave this key out or rename it',
};

/** Any JSON object in which no key, at any depth, says who is paid. */
export const freeFormWithoutPayee = (description: string): Check => ({
  problems: (value) => {
    if (!isPlainObject(value)) return [{ code: 'wrong_type', message: 'must be an object' }];
    return problemsIn(value);
  },
  schema: { type: 'object', additionalProperties: true, description },
});

/** Collects all keys first and judges them at once; builds a path only for what is wrong. */
function problemsIn(value: object): readonly Problem[] {
  const keys: string[] = [];
  const steps: Step[] = [];
  collect(value, undefined, keys, steps);
  return payeesAmong(keys, MAX_ISSUES).map((at) => ({ ...refused, ...pathWithin(steps[at]) }));
}

/** The body's depth was limited when it was parsed, so this goes no deeper than 16 levels. */
function collect(value: object, parent: Step | undefined, keys: string[], steps: Step[]): void {
  if (Array.isArray(value)) {
    const list = value as readonly unknown[];
    for (let at = 0; at < list.length; at += 1) {
      const entry = list[at];
      if (typeof entry === 'object' && entry !== null) collect(entry, { key: at, parent }, keys, steps);
    }
    return;
  }
  for (const key of keysOf(value)) {
    const entry = (value as Readonly<Record<string, unknown>>)[key];
    const step = { key, parent };
    keys.push(key);
    steps.push(step);
    if (typeof entry === 'object' && entry !== null) collect(entry, step, keys, steps);
  }
}
