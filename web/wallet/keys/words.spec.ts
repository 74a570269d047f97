import { Keypair } from '@stellar/stellar-base';
import { accountSeed, newWords, readWords, tidyWords, wordsOf } from './recovery-words.ts';

const TWELVE = 'illness spike retreat truth genius clock brain pass fit cave bargain toe';
const TWENTY_FOUR =
  'bench hurt jump file august wise shallow faculty impulse spring exact slush ' +
  'thunder author capable act festival slice deposit sauce coconut afford frown better';

const keyOf = (words: string, account: number) => Keypair.fromRawEd25519Seed(Buffer.from(accountSeed(words, account)));

describe('the words of a key', () => {
  // The vectors that SEP-5 publishes.
  it.each([
    [
      TWELVE,
      0,
      'GDRXE2BQUC3AZNPVFSCEZ76NJ3WWL25FYFK6RGZGIEKWE4SOOHSUJUJ6',
      'SBGWSG6BTNCKCOB3DIFBGCVMUPQFYPA2G4O34RMTB343OYPXU5DJDVMN',
    ],
    [
      TWELVE,
      4,
      'GBCUXLFLSL2JE3NWLHAWXQZN6SQC6577YMAU3M3BEMWKYPFWXBSRCWV4',
      'SCPCY3CEHMOP2TADSV2ERNNZBNHBGP4V32VGOORIEV6QJLXD5NMCJUXI',
    ],
    [
      TWENTY_FOUR,
      0,
      'GC3MMSXBWHL6CPOAVERSJITX7BH76YU252WGLUOM5CJX3E7UCYZBTPJQ',
      'SAEWIVK3VLNEJ3WEJRZXQGDAS5NVG2BYSYDFRSH4GKVTS5RXNVED5AX7',
    ],
    [
      TWENTY_FOUR,
      1,
      'GB3MTYFXPBZBUINVG72XR7AQ6P2I32CYSXWNRKJ2PV5H5C7EAM5YYISO',
      'SBKSABCPDWXDFSZISAVJ5XKVIEWV4M5O3KBRRLSPY3COQI7ZP423FYB4',
    ],
  ])('give the accounts of SEP-5: %s, %i', (words, account, address, secret) => {
    const key = keyOf(words, account);
    expect([key.publicKey(), key.secret()]).toEqual([address, secret]);
  });

  it('are 24 when new, different each time, and come back from what is kept of them', () => {
    const [one, two] = [newWords(), newWords()];
    expect(one.split(' ')).toHaveLength(24);
    expect(one).not.toBe(two);
    const read = readWords(one);
    expect('entropy' in read && wordsOf(read.entropy)).toBe(one);
  });

  it('are taken as people paste them', () => {
    const pasted = TWELVE.toUpperCase()
      .split(' ')
      .map((word, index) => `${index + 1}. ${word}`)
      .join('\n');
    expect(tidyWords(pasted)).toBe(TWELVE);
    expect(readWords(pasted)).toHaveProperty('entropy');
  });

  it.each([
    ['illness spike', { problem: 'count' }],
    [TWELVE.replace('toe', 'tow'), { problem: 'unknown', word: 'tow' }],
    [TWELVE.replace('toe', 'abandon'), { problem: 'checksum' }],
    ['', { problem: 'count' }],
  ])('are refused with the reason: %s', (typed, problem) => {
    expect(readWords(typed)).toEqual(problem);
  });

  it.each([-1, 0.5, 2 ** 31])('have no account %p', (account) => {
    expect(() => accountSeed(TWELVE, account)).toThrow(RangeError);
  });
});
