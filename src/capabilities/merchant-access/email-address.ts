import { asciiName } from '../../platform/egress/idna';
import { isEmail } from 'class-validator/cjs/decorator/string/IsEmail';
import { type Check } from '../../http/input/checks';

const MAX_LENGTH = 254;

/**
 * The normalized address: trimmed, all in lower case, with the domain in ASCII; undefined if it is not an address.
 *
 * The part before the @ is lowercased too, although a mail server may be case-sensitive: hardly any is, and people do
 * not remember how they wrote it last time. It is safe because mail always goes to this spelling, never to the one that
 * was typed: the account belongs to whoever reads that mailbox. Letters outside ASCII before the @ are refused, since
 * their lower case and equality are not well defined.
 */
export function normalizedEmail(typed: string): string | undefined {
  const trimmed = typed.trim();
  const at = trimmed.lastIndexOf('@');
  if (at < 1 || trimmed.length > MAX_LENGTH) return undefined;
  const local = trimmed.slice(0, at);
  // Checked before lowercasing, which turns some letters into ASCII. A quoted part could hold anything, even an @.
  if (/[^\x21-\x7e]|"/.test(local)) return undefined;
  const address = `${local}@${asciiName(trimmed.slice(at + 1)) ?? ''}`.toLowerCase();
  return isEmail(address, { allow_utf8_local_part: false }) ? address : undefined;
}

export const emailAddress: Check = {
  problems: (value) => {
    if (typeof value !== 'string') return [{ code: 'wrong_type', message: 'must be a string' }];
    const valid = normalizedEmail(value) !== undefined;
    return valid ? [] : [{ code: 'malformed', message: 'must be an e-mail address such as operator@example.com' }];
  },
  schema: { type: 'string', format: 'email', maxLength: MAX_LENGTH, example: 'operator@example.com' },
};
