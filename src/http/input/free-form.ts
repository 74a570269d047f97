import { namesPayee } from '../../kernel/payment-fact-names';
import { type Check, isPlainObject, type Problem } from './checks';

/** An answer lists enough to see what is wrong; a body made of nothing but such keys must not come back many times over. */
const MOST_PROBLEMS = 100;
const LONGEST_PATH = 300;

const refused = {
  code: 'override_not_accepted',
  message: 'who is paid is fixed in the recipient; leave this key out or rename it',
};

/** Any JSON object in which no key, at any depth, says who is paid. */
export const freeFormWithoutPayee = (description: string): Check => ({
  problems: (value) => {
    if (!isPlainObject(value)) return [{ code: 'wrong_type', message: 'must be an object' }];
    const problems: Problem[] = [];
    collect(value, '', problems);
    return problems;
  },
  schema: { type: 'object', additionalProperties: true, description },
});

/** The body's depth has been bounded before, so this does not go deeper than 16 levels. */
function collect(value: unknown, path: string, problems: Problem[]): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, entry] of Object.entries(value)) {
    if (problems.length >= MOST_PROBLEMS) return;
    const here = `${path === '' ? '' : `${path}.`}${key}`.slice(0, LONGEST_PATH).toWellFormed();
    if (!Array.isArray(value) && namesPayee(key)) problems.push({ ...refused, path: here });
    collect(entry, here, problems);
  }
}
