import fc from 'fast-check';
import {
  addAmounts,
  checkAmount,
  compareAmounts,
  fractionDigits,
  isAmount,
  shortestAmount,
  subtractAmounts,
} from './amounts';

/** Decimal spellings, trailing zeros and zero itself included, together with the exact value in units of 10^-20. */
const decimal = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 20 }))
  .map(([whole, fraction]) => ({
    text: fraction === '' ? `${whole}` : `${whole}.${fraction}`,
    units: whole * 10n ** 20n + BigInt(fraction.padEnd(20, '0')),
  }));
const unitsOf = (text: string): bigint => {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole) * 10n ** 20n + BigInt(fraction.padEnd(20, '0'));
};

describe('amounts', () => {
  it.each([
    '1',
    '0.1',
    '10',
    '0.0000001',
    '1.50',
    '123456789012345678901234567890.000000000000000001',
    `1${'0'.repeat(79)}`,
  ])('accept %s', (text) => {
    expect(isAmount(text)).toBe(true);
  });

  it.each([
    '',
    '0',
    '0.0',
    '00',
    '01',
    '00.1',
    '.5',
    '5.',
    '1.',
    '+1',
    '-1',
    '1e3',
    '1E3',
    '0x1',
    '1,5',
    '1 ',
    ' 1',
    '1\n',
    '1_000',
    'NaN',
    'Infinity',
    '١',
    '１',
    '1.2.3',
    1,
    1n,
    null,
    undefined,
    ['1'],
    {},
  ])('refuse %p', (text) => {
    expect(isAmount(text)).toBe(false);
    expect(checkAmount(text, 7)?.code).toBe('invalid_amount');
  });

  it('that are too long are refused as such', () => {
    const [long, nonsense] = [`1${'0'.repeat(80)}`, 'x'.repeat(81)];
    expect([isAmount(long), checkAmount(long, 7)?.code]).toEqual([false, 'too_long']);
    expect(checkAmount(nonsense, 7)?.code).toBe('invalid_amount');
  });

  it('are positive decimals, and nothing else', () => {
    fc.assert(
      fc.property(decimal, ({ text, units }) => {
        expect(isAmount(text)).toBe(units > 0n);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.-+eE '), maxLength: 12 }), (text) => {
        const wellFormed = /^\d+(\.\d+)?$/.test(text) && !/^0\d/.test(text) && Number(text) > 0;
        expect(isAmount(text)).toBe(wellFormed);
      }),
    );
  });

  it('fit the decimals of their asset', () => {
    expect(checkAmount('1.1234567', 7)).toBeUndefined();
    expect(checkAmount('1.12345678', 7)?.code).toBe('too_many_fraction_digits');
    expect(checkAmount('1.10000000', 7)?.code).toBe('too_many_fraction_digits');
    expect(checkAmount('1', 0)).toBeUndefined();
    expect(checkAmount('1.0', 0)?.code).toBe('too_many_fraction_digits');
    expect(['1', '1.5', '0.0000001'].map(fractionDigits)).toEqual([0, 1, 7]);
  });

  it('compare by value, not by spelling', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        expect(compareAmounts(a.text, b.text)).toBe(a.units < b.units ? -1 : a.units > b.units ? 1 : 0);
      }),
    );
    expect(compareAmounts('1.10', '1.1')).toBe(0);
    expect(compareAmounts('10', '9.999')).toBe(1);
  });

  it('add and subtract exactly', () => {
    expect(addAmounts('0.1', '0.2')).toBe('0.3');
    expect(subtractAmounts('1', '0.0000001')).toBe('0.9999999');
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const sum = addAmounts(a.text, b.text);
        expect(unitsOf(sum)).toBe(a.units + b.units);
        expect(compareAmounts(subtractAmounts(sum, b.text), a.text)).toBe(0);
      }),
    );
  });

  it('come out in the shortest spelling', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        expect(addAmounts(a.text, b.text)).toMatch(/^(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/);
      }),
    );
    expect(addAmounts('1.50', '0.50')).toBe('2');
    fc.assert(
      fc.property(decimal, ({ text }) => {
        expect(shortestAmount(text)).toBe(addAmounts(text, '0'));
      }),
    );
    expect(['100', '100.00', '0.0', '10.050'].map(shortestAmount)).toEqual(['100', '100', '0', '10.05']);
    expect(subtractAmounts('1.5', '1.50')).toBe('0');
  });

  it('never go below zero, and are never guessed from invalid text', () => {
    expect(() => subtractAmounts('1', '1.0000001')).toThrow(RangeError);
    for (const bad of ['', '-1', '1e3', '01', ' 1']) {
      expect(() => addAmounts(bad, '1')).toThrow(TypeError);
      expect(() => compareAmounts('1', bad)).toThrow(TypeError);
      expect(() => shortestAmount(bad)).toThrow(TypeError);
    }
    expect(() => shortestAmount(['1.0'] as unknown as string)).toThrow(TypeError);
  });
});
