import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';

export type ParsedDomain = Readonly<{ ok: true; domain: string }> | Readonly<{ ok: false; problem: string }>;

const MAX_NAME_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;
const LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

/** What the caller most likely meant, told before the name is judged as a whole. */
const TELLTALES: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'must not be empty'],
  [/[\p{C}\p{Z}]/u, 'must not contain spaces, control or invisible characters'],
  [/\*/, 'must be an exact name without a wildcard'],
  [/[[\]]/, 'must be a name, not an address'],
  [/[/\\?#]/, 'must be a bare name without scheme, path or query'],
  [/@/, 'must be a bare name without a user'],
  [/:/, 'must be a bare name without a port'],
  [/%/, 'must not be percent-encoded'],
];

/** The one spelling under which a merchant's host name is kept, or what is wrong with it. */
export function parseExactDomain(input: string): ParsedDomain {
  // The longest ASCII form of a name is 253 characters and none of its Unicode forms needs more.
  if (input.length > MAX_NAME_LENGTH) return refused(`must be at most ${MAX_NAME_LENGTH} characters long`);
  const telltale = TELLTALES.find(([pattern]) => pattern.test(input));
  if (telltale) return refused(telltale[1]);

  const domain = domainToASCII(input);
  if (domain === '') return refused('must be a valid host name');
  if (isIP(domain) !== 0) return refused('must be a name, not an address');
  if (domain.endsWith('.')) return refused('must not end with a dot');
  if (domain.length > MAX_NAME_LENGTH) return refused(`must be at most ${MAX_NAME_LENGTH} characters long`);

  const labels = domain.split('.');
  if (labels.some((label) => label === '')) return refused('must not contain an empty label');
  if (labels.some((label) => label.length > MAX_LABEL_LENGTH)) {
    return refused(`must not contain a label longer than ${MAX_LABEL_LENGTH} characters`);
  }
  if (!labels.every((label) => LABEL.test(label))) {
    return refused('may contain letters, digits and inner hyphens only');
  }
  if (labels.length < 2) return refused('must have at least two labels');
  // Under a public suffix everyone registers names: nobody can prove that it is theirs.
  if (getDomain(domain, { allowPrivateDomains: true }) === null) return refused('must not be a public suffix');
  return { ok: true, domain };
}

const refused = (problem: string): ParsedDomain => ({ ok: false, problem });
