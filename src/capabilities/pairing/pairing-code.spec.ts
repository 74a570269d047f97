import * as fc from 'fast-check';
import { ServiceSecret } from '../../platform/secrets/service-secret';
import { CODE_ALPHABET, CODE_LENGTH, PairingCodes, pairingUri } from './pairing-code';

const codes = new PairingCodes(new ServiceSecret('s'.repeat(32)));
const aCode = fc
  .array(fc.constantFrom(...CODE_ALPHABET), { minLength: CODE_LENGTH, maxLength: CODE_LENGTH })
  .map((characters) => characters.join(''));

describe('pairing codes', () => {
  it('have eight characters nobody takes for another', () => {
    const drawn = Array.from({ length: 500 }, () => codes.newCode());
    for (const code of drawn) expect(code).toMatch(/^[3479ACDEFHJKMNPQRTWXY]{8}$/);
    // Two of five hundred are the same once in 300,000 runs; more than that is no coincidence.
    expect(new Set(drawn).size).toBeGreaterThanOrEqual(499);
    expect(new Set(drawn.join('')).size).toBe(CODE_ALPHABET.length);
  });

  it('are recognised as people type them', () => {
    fc.assert(
      fc.property(aCode, fc.array(fc.constantFrom(' ', '-', '–', '  '), { maxLength: 8 }), (code, between) => {
        const typed = [...code].map((character, index) => character.toLowerCase() + (between[index] ?? '')).join('');
        expect(codes.matches('prs_1', typed, codes.hash('prs_1', code))).toBe(true);
      }),
    );
  });

  it('do not match another code, another session or another installation', () => {
    fc.assert(
      fc.property(aCode, aCode, (code, other) => {
        const elsewhere = new PairingCodes(new ServiceSecret('t'.repeat(32)));
        expect(codes.matches('prs_1', other, codes.hash('prs_1', code))).toBe(code === other);
        expect(codes.matches('prs_2', code, codes.hash('prs_1', code))).toBe(false);
        expect(elsewhere.matches('prs_1', code, codes.hash('prs_1', code))).toBe(false);
      }),
    );
  });

  it('travel in an address that says where they belong', () => {
    const uri = new URL(pairingUri('https://pay.example/base', 'prs_1', 'ACDE3479'));
    expect(`${uri.protocol}//${uri.host}`).toBe('svc://pair');
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      session: 'prs_1',
      code: 'ACDE3479',
      base_url: 'https://pay.example/base',
    });
  });
});
