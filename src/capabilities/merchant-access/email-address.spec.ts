import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character';
import { normalizedEmail } from './email-address';

describe('an e-mail address', () => {
  it.each([
    ['operator@example.com', 'operator@example.com'],
    ['  Operator@Example.COM\t', 'operator@example.com'],
    ["o'brien+shop.1@sub.example.co.uk", "o'brien+shop.1@sub.example.co.uk"],
    ['info@bücher.example', 'info@xn--bcher-kva.example'],
    ['INFO@BÜCHER.example', 'info@xn--bcher-kva.example'],
  ])('%j is kept as %s', (typed, kept) => expect(normalizedEmail(typed)).toBe(kept));

  it.each([
    '',
    '@',
    'nobody',
    '@example.com',
    'a@',
    'a@localhost',
    'a@127.0.0.1',
    'a@[127.0.0.1]',
    'a b@example.com',
    'a@b@example.com',
    '"a b"@example.com',
    'a@example.com,b@example.com',
    'a@example.com\r\nbcc: b@example.com',
    'Name <a@example.com>',
    'a..b@example.com',
    'ſ@example.com',
    'ünal@example.com',
    // The Kelvin sign, whose lower case is a plain k.
    '\u212A@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(250)}.com`,
  ])('%j is none', (typed) => expect(normalizedEmail(typed)).toBeUndefined());

  it('has one spelling, whatever the case and the space around it', () =>
    fc.assert(
      fc.property(fc.emailAddress(), fc.stringMatching(/^[ \t]{0,3}$/), (address, space) => {
        const kept = normalizedEmail(address);
        fc.pre(kept !== undefined);
        expect(normalizedEmail(kept ?? '')).toBe(kept);
        expect(normalizedEmail(space + address.toUpperCase() + space)).toBe(kept);
      }),
    ));

  it('never holds what could end a header or begin a second address', () =>
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.emailAddress()), fc.string(), (left, right) => {
        const kept = normalizedEmail(`${left}${right}`);
        expect(kept ?? '').not.toMatch(/[^\x21-\x7e]|[",<>;]/);
      }),
    ));
});
