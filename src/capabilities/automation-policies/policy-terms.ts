import { checkAmount } from '../../kernel/amounts';
import { type Issue } from '../../kernel/errors';
import { networkNamed } from '../../networks';
import { type PolicyTerms } from './automation-policy.events';

/** What is wrong with terms as a whole; each field in itself has been checked with the input. */
export function termIssues(terms: Partial<PolicyTerms>, network: string | undefined, at: string): readonly Issue[] {
  const { valid_from: from, valid_until: until } = terms;
  const issues: Issue[] = [];
  if (until !== undefined && until <= at) {
    issues.push({ code: 'in_the_past', field: 'valid_until', message: 'must be in the future' });
  }
  if (from !== undefined && until !== undefined && until <= from) {
    issues.push({ code: 'out_of_order', field: 'valid_until', message: 'must be later than valid_from' });
  }
  // Every asset of a test network is divided as finely as its own; a finer limit could never be reached exactly.
  const decimals = networkNamed(network ?? '')?.native.decimals ?? Infinity;
  for (const field of ['single_tx_limit', 'cumulative_limit'] as const) {
    const problem = terms[field] === undefined ? undefined : checkAmount(terms[field], decimals);
    if (problem !== undefined) issues.push({ ...problem, field });
  }
  return issues;
}
