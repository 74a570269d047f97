import { addAmounts, compareAmounts, subtractAmounts } from './amounts';

export type PolicyTotals = Readonly<{
  /** What may still be paid. */
  reserved: string;
  /** What was broadcasted or paid. */
  spent: string;
}>;

/** What counts against the cumulative limit. */
export const countedIn = ({ reserved, spent }: PolicyTotals): string => addAmounts(reserved, spent);

/** What is left of the limit; one that was lowered, or money that moved late, may leave nothing, but never less. */
export function remainingOf(limit: string, totals: PolicyTotals): string {
  const counted = countedIn(totals);
  return compareAmounts(limit, counted) > 0 ? subtractAmounts(limit, counted) : '0';
}
