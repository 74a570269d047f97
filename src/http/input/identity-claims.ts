import { MAX_ISSUES } from './issue-paths';
import { type Issue } from '../../kernel/errors';

const IDENTITY_NAMES = new Set(['merchantid', 'tenantid', 'agentid']);

/** Names seen before, and whether they claim an identity: every request brings the same dozen headers. */
const judged = new Map<string, boolean>();
const MAX_JUDGED = 1_000;
/** Leaves room for separators between all letters. A longer name is not an attempt to imitate one of these. */
const MAX_CLAIM_LENGTH = 100;

/** The credential alone says who calls. A request that claims an identity itself is refused, in any spelling. */
export function identityClaims(names: Iterable<string>): Issue[] {
  const issues: Issue[] = [];
  for (const name of names) {
    if (!claimsIdentity(name)) continue;
    if (issues.length === MAX_ISSUES) break;
    issues.push({
      code: 'identity_not_accepted',
      field: name,
      message: 'identity comes from the credential; leave it out',
    });
  }
  return issues;
}

/** A name that matches neither of these claims no identity. */
const HINT = /merchant|tenant|agent/i;
const SEPARATOR = /[-_.\s]/;

function claimsIdentity(name: string): boolean {
  if (name.length > MAX_CLAIM_LENGTH || (!HINT.test(name) && !SEPARATOR.test(name))) return false;
  const known = judged.get(name);
  if (known !== undefined) return known;
  const plain = name
    .replace(/^x-(svc-)?/i, '')
    .replace(/[-_.\s]/g, '')
    .toLowerCase();
  const claims = IDENTITY_NAMES.has(plain);
  if (judged.size < MAX_JUDGED) judged.set(name, claims);
  return claims;
}
