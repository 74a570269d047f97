import { generateMnemonic, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english';
import { seededRandom } from '../../../test/support/seeded';
import { holdsRecoveryPhrase } from './recovery-phrases';

const ZERO = `${'abandon '.repeat(11)}about`;
const LEGAL = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

describe('a recovery phrase', () => {
  it.each([128, 160, 192, 224, 256])('of %i bits is known', (strength) => {
    for (let tried = 0; tried < 20; tried += 1) {
      expect(holdsRecoveryPhrase(generateMnemonic(wordlist, strength))).toBe(true);
    }
  });

  it.each([
    ['as it is', ZERO],
    ['in capitals', ZERO.toUpperCase()],
    ['with commas', LEGAL.replaceAll(' ', ', ')],
    ['on lines', LEGAL.replaceAll(' ', '\r\n')],
    ['numbered', LEGAL.split(' ').reduce((text, word, at) => `${text}${at + 1}. ${word}\n`, '')],
    ['as a list in JSON', JSON.stringify(LEGAL.split(' '))],
    ['behind what it is called', `Seed phrase: ${LEGAL}`],
    ['in a sentence', `To open it you need ${LEGAL}, do not lose it.`],
    ['with a Kelvin sign for a k', 'legal winner thank year wave sausage worth useful legal winner thank chec\u212a'],
  ])('is known %s', (_, text) => expect(holdsRecoveryPhrase(text)).toBe(true));

  it('is looked for only where twelve words are in a row, whatever signs are in the text', () => {
    const splitting = jest.spyOn(String.prototype, 'split');
    holdsRecoveryPhrase(`\u212a ${'ab:'.repeat(200)}`);
    expect(splitting).not.toHaveBeenCalled();
    splitting.mockRestore();
  });

  it('is not found with another checksum, as by the library of BIP-39', () => {
    const { pick } = seededRandom(7);
    for (let tried = 0; tried < 500; tried += 1) {
      const phrase = Array.from({ length: 12 }, () => pick(wordlist)).join(' ');
      expect([phrase, holdsRecoveryPhrase(phrase)]).toEqual([phrase, validateMnemonic(phrase, wordlist)]);
    }
  });

  it.each([
    ['a word is missing', ZERO.replace('abandon ', '')],
    ['a word is not of the list', ZERO.replace('about', 'abouts')],
    ['it is a sentence', 'please send seven boxes with green paint before the next long weekend'],
    ['there is nothing but letters', 'x'.repeat(64_000)],
    ['there is nothing but a word', 'abandon '.repeat(8_000)],
  ])('is not found where %s', (_, text) => expect(holdsRecoveryPhrase(text)).toBe(false));
});
