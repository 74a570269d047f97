import { type Issue } from '../../kernel/errors';
import { MAX_ISSUES } from './issue-paths';

/** The list is as long as a response allows: further problems may have been left out. */
export const isFull = (issues: readonly Issue[]): boolean => issues.length >= MAX_ISSUES;

/** Tells whether nothing is wrong with a field. If the list of issues is full, that is known of no field. */
export function soundFields(issues: readonly Issue[]): (field: string) => boolean {
  if (isFull(issues)) return () => false;
  return (field) => !issues.some(({ field: wrong }) => isWithin(wrong, field) || isWithin(field, wrong));
}

const isWithin = (inner: string, outer: string): boolean => inner === outer || inner.startsWith(`${outer}.`);
