import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { anyCharacter } from '../../test/support/any-character';
import { canonicalJson } from './canonical-json';

describe('canonical JSON', () => {
  it('sorts keys by UTF-16 code units at every depth and leaves out white space', () => {
    const value = { '\u20ac': 1, '\r': 2, '1': 3, '\u{1f600}': 4, '\u0080': 5, '\u00f6': { b: [2, 1], a: null } };
    expect(canonicalJson(value)).toBe(
      '{"\\r":2,"1":3,"\u0080":5,"\u00f6":{"a":null,"b":[2,1]},"\u20ac":1,"\u{1f600}":4}',
    );
  });

  it('writes numbers as ECMAScript does', () => {
    expect(canonicalJson({ n: [333333333.33333329, 1e30, 4.5, 2e-3, 1e-27, -0] })).toBe(
      '{"n":[333333333.3333333,1e+30,4.5,0.002,1e-27,0]}',
    );
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse());
        return canonicalJson(turned) === canonicalJson(value);
      }),
    );
  });

  it('parses back to the same value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('is the same text that another library produces', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: anyCharacter }), (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
      { numRuns: 2_000 },
    );
  });

  it('refuses what JSON cannot express', () => {
    expect(() => canonicalJson({ n: Number.NaN })).toThrow('NaN');
    expect(() => canonicalJson({ n: Number.POSITIVE_INFINITY })).toThrow('Infinity');
  });
});
