import { type Issue } from '../../kernel/errors';
import { type AllowedPayee, payeesInTexts } from '../../networks';
import { MAX_ISSUES, pathTo, type Step } from './issue-paths';
import { keysOf } from './keys-of';

/**
 * Issues for each text in these fields, at any depth and keys included, that contains a payment link, or an address of
 * one of the networks: a person who reads it might pay there instead.
 */
export function strayPayees(
  fields: Readonly<Record<string, unknown>>,
  networks: readonly string[],
  allowed?: AllowedPayee,
): readonly Issue[] {
  const texts: string[] = [];
  const steps: Step[] = [];
  for (const [key, value] of Object.entries(fields)) collect(value, { key, parent: undefined }, texts, steps);
  return payeesInTexts(texts, networks, MAX_ISSUES, allowed).map((at) => ({
    code: 'override_not_accepted',
    field: pathTo(steps[at]),
    message: 'contains an address or a payment link; who is paid is fixed in the recipient, so leave it out',
  }));
}

/** The same field may be refused for its name and for what it says. */
export const withoutRepeats = (issues: readonly Issue[]): readonly Issue[] => [
  ...new Map(issues.map((issue) => [`${issue.code} ${issue.field}`, issue])).values(),
];

/** The body's depth was limited when it was parsed, so this goes no deeper than 16 levels. */
function collect(value: unknown, step: Step, texts: string[], steps: Step[]): void {
  const add = (text: string, at: Step): void => {
    texts.push(text);
    steps.push(at);
  };
  if (typeof value === 'string') return add(value, step);
  if (Array.isArray(value)) {
    const list = value as readonly unknown[];
    return list.forEach((entry, key) => collect(entry, { key, parent: step }, texts, steps));
  }
  if (typeof value !== 'object' || value === null) return;
  for (const key of keysOf(value)) {
    const below = { key, parent: step };
    add(key, below);
    collect((value as Readonly<Record<string, unknown>>)[key], below, texts, steps);
  }
}
