import fc from 'fast-check';
import { isPlainJson } from './plain-json';

describe('plain JSON', () => {
  const roundTrip = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  it('is every value that was parsed from JSON text', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => isPlainJson(roundTrip(value))));
  });

  it('is never a value that JSON would change', () => {
    fc.assert(
      fc.property(fc.object({ withDate: true, withNullPrototype: true, withSparseArray: true }), (value) => {
        if (isPlainJson(value)) expect(roundTrip(value)).toStrictEqual(value);
      }),
    );
  });

  it.each([
    ['a field without a value', { a: undefined }],
    ['a hole', { a: new Array<number>(1) }],
    ['a time', { a: new Date(0) }],
    ['a number JSON has no word for', { a: [NaN] }],
    ['the negative zero', { a: -0 }],
    ['a function', { a: () => 1 }],
    ['a value that speaks for itself', { toJSON: () => 1 }],
    ['an object of a class', { a: new (class Thing {})() }],
    ['a buffer', { a: Buffer.from('a') }],
    ['a bigint', { a: 1n }],
  ])('is not %s', (_, value) => {
    expect(isPlainJson(value)).toBe(false);
  });
});
