import { type Issue } from '../../kernel/errors';

const CLAIMED = new Set(['merchantid', 'tenantid', 'agentid']);

/** Names met before, and whether they claim an identity: every request brings the same dozen headers. */
const judged = new Map<string, boolean>();
const MAX_JUDGED = 1_000;

/** Who calls follows from the credential alone. A request that says so itself is refused, in whatever spelling. */
export function identityClaims(names: Iterable<string>): Issue[] {
  const issues: Issue[] = [];
  for (const name of names) {
    if (!claimsIdentity(name)) continue;
    issues.push({
      code: 'identity_not_accepted',
      field: name,
      message: 'identity comes from the credential; leave it out',
    });
  }
  return issues;
}

function claimsIdentity(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const plain = name
    .replace(/^x-(svc-)?/i, '')
    .replace(/[-_.\s]/g, '')
    .toLowerCase();
  const claims = CLAIMED.has(plain);
  if (judged.size < MAX_JUDGED && name.length <= 100) judged.set(name, claims);
  return claims;
}
