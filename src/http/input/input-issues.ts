import { type Issue } from '../../kernel/errors';

/**
 * Problems found while a body or query was read, before anyone knew which fields it should have. They wait here, keyed
 * by the object they belong to, until the pipe lists them together with the rest.
 */
const found = new WeakMap<object, readonly Issue[]>();

export const noteIssues = (input: object, issues: readonly Issue[]): void => {
  if (issues.length > 0) found.set(input, issues);
};

export const notedIssues = (input: object): readonly Issue[] => found.get(input) ?? [];
