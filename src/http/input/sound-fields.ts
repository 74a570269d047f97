import { type Issue } from '../../kernel/errors';
import { MOST_ISSUES } from './issue-paths';

/** As many problems as an answer lists: what else is wrong may have been left out. */
export const isFull = (issues: readonly Issue[]): boolean => issues.length >= MOST_ISSUES;

/** Says of a field whether nothing is wrong with it. Beside a full list of problems that is known of none. */
export function soundFields(issues: readonly Issue[]): (field: string) => boolean {
  if (isFull(issues)) return () => false;
  return (field) => !issues.some(({ field: wrong }) => isWithin(wrong, field) || isWithin(field, wrong));
}

const isWithin = (inner: string, outer: string): boolean => inner === outer || inner.startsWith(`${outer}.`);
