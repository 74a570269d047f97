import { checkAmount, compareAmounts } from '../../kernel/amounts';
import { type Issue } from '../../kernel/errors';
import { networkNamed } from '../../networks';
import { type PolicyTerms } from '../../events/automation-policy.events';

/** What is wrong with the terms as a whole; the input check has already covered each field by itself. */
export function termIssues(terms: Partial<PolicyTerms>, network: string | undefined, at: string): readonly Issue[] {
  const { valid_from: from, valid_until: until } = terms;
  const issues: Issue[] = [];
  if (until !== undefined && until <= at) {
    issues.push({ code: 'in_the_past', field: 'valid_until', message: 'must be in the future' });
  }
  if (from !== undefined && until !== undefined && until <= from) {
    issues.push({ code: 'out_of_order', field: 'valid_until', message: 'must be later than valid_from' });
  }
  // Every asset of a testnet has as many decimals as the native one; a finer limit could never be reached exactly.
  const decimals = networkNamed(network ?? '')?.native.decimals ?? Infinity;
  for (const field of ['single_tx_limit', 'cumulative_limit'] as const) {
    const problem = terms[field] === undefined ? undefined : checkAmount(terms[field], decimals);
    if (problem !== undefined) issues.push({ ...problem, field });
  }
  return issues;
}

/** Where the terms a person chose would permit more than was proposed. */
export function looserIssues(chosen: Partial<PolicyTerms>, proposed: PolicyTerms): readonly Issue[] {
  const { valid_from: from = proposed.valid_from, valid_until: until = proposed.valid_until } = chosen;
  const issues: Issue[] = [];
  for (const field of ['single_tx_limit', 'cumulative_limit'] as const) {
    const limit = chosen[field];
    if (limit !== undefined && compareAmounts(limit, proposed[field]) > 0) issues.push(looser(field, 'more'));
  }
  if (from < proposed.valid_from) issues.push(looser('valid_from', 'earlier'));
  if (until > proposed.valid_until) issues.push(looser('valid_until', 'later'));
  (chosen.allowlist ?? []).forEach((recipientId, index) => {
    if (!proposed.allowlist.includes(recipientId)) {
      issues.push({ code: CODE, field: `allowlist.${index}`, message: 'is not among the recipients proposed' });
    }
  });
  return issues;
}

const CODE = 'looser_than_proposed';
const looser = (field: string, word: string): Issue => ({
  code: CODE,
  field,
  message: `must not be ${word} than proposed; it may only be tightened`,
});
