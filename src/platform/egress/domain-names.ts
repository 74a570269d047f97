import { isIP } from 'node:net';
import { getDomain } from 'tldts';
import { asciiName } from './idna';

export type ParsedDomain = Readonly<{ ok: true; domain: string }> | Readonly<{ ok: false; problem: string }>;

const MAX_NAME_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;
const NUMBERS = /^((\d+|0x[0-9a-f]*)\.?)+$/;
const ENDS_IN_NUMBER = /(^|\.)(\d+|0x[0-9a-f]*)\.?$/;
const LABEL = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

/** Likely mistakes of the caller, reported before the name is judged as a whole. */
const COMMON_MISTAKES: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'must not be empty'],
  [/[\p{C}\p{Z}]/u, 'must not contain spaces, control or invisible characters'],
  [/\*/, 'must be an exact name without a wildcard'],
  [/[[\]]/, 'must be a name, not an address'],
  [/[/\\?#]/, 'must be a bare name without scheme, path or query'],
  [/@/, 'must be a bare name without a user'],
  [/:/, 'must be a bare name without a port'],
  [/%/, 'must not be percent-encoded'],
];

/** The canonical form in which a merchant's host name is stored, or what is wrong with it. */
export function parseExactDomain(input: string): ParsedDomain {
  // The ASCII form of a name has at most 253 characters, and none of its Unicode forms needs more.
  if (input.length > MAX_NAME_LENGTH) return refused(`must be at most ${MAX_NAME_LENGTH} characters long`);
  const telltale = COMMON_MISTAKES.find(([pattern]) => pattern.test(input));
  if (telltale) return refused(telltale[1]);

  const domain = asciiName(input);
  if (domain === undefined || domain === '') return refused('must be a valid host name');
  // To every browser, what ends in a number is an address, however it is written: 127.1, 0x7f000001.
  if (isIP(domain) !== 0 || NUMBERS.test(domain)) return refused('must be a name, not an address');
  if (ENDS_IN_NUMBER.test(domain)) return refused('must be a valid host name');
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
  // Anyone can register names under a public suffix: nobody can prove that it is theirs.
  if (getDomain(domain, { allowPrivateDomains: true }) === null) return refused('must not be a public suffix');
  return { ok: true, domain };
}

const refused = (problem: string): ParsedDomain => ({ ok: false, problem });
