import { type Issue } from '../kernel/errors';

const CLAIMED = new Set(['merchantid', 'tenantid', 'agentid']);

/** Who calls follows from the credential alone. A request that says so itself is refused, in whatever spelling. */
export function identityClaims(names: Iterable<string>): Issue[] {
  const issues: Issue[] = [];
  for (const name of names) {
    if (
      !CLAIMED.has(
        name
          .replace(/^x-(svc-)?/i, '')
          .replace(/[-_.\s]/g, '')
          .toLowerCase(),
      )
    )
      continue;
    issues.push({
      code: 'identity_not_accepted',
      field: name,
      message: 'identity comes from the credential; leave it out',
    });
  }
  return issues;
}
