import fc from 'fast-check';
import { documentKey, documentsOf, indexKey, searchRange } from './keys';

const key = (sort: string | number | null, id = 'x'): Buffer => indexKey('c', 'i', { equals: ['e'], sort }, id);
const text = fc.string({ unit: fc.constantFrom('\0', '\u0001', 'a', 'b', 'é', '\uff61', '😀', '\uffff') });

describe('keys of the embedded read model', () => {
  it('order text by code point, whatever ids follow', () => {
    const bytes = (value: string): Buffer => Buffer.from(value);
    fc.assert(
      fc.property(text, text, text, text, (one, other, oneId, otherId) => {
        const expected = Buffer.compare(bytes(one), bytes(other)) || Buffer.compare(bytes(oneId), bytes(otherId));
        expect(Buffer.compare(key(one, oneId), key(other, otherId))).toBe(expected);
      }),
    );
    expect(Buffer.compare(key('\uff61'), key('😀'))).toBe(-1);
  });

  it('order numbers by value, before text', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(number, number, text, (one, other, word) => {
        expect(Buffer.compare(key(one), key(other))).toBe(Math.sign(Number(one > other) - Number(one < other)));
        expect(Buffer.compare(key(one), key(word))).toBe(-1);
      }),
    );
  });

  it('tell equal values apart by type, place and text', () => {
    const places: (string | number | boolean)[][] = [
      [],
      ['1'],
      [1],
      [true],
      ['true'],
      ['1', ''],
      ['', '1'],
      ['1,'],
      [',1'],
    ];
    const starts = places.map((equals) => searchRange('c', 'i', equals).start.toString('hex'));
    expect(new Set(starts).size).toBe(places.length);
  });

  it('are in the range of their search and of their collection, and in no other', () => {
    const inside = (one: Buffer, { start, end }: { start: Buffer; end: Buffer }): boolean =>
      Buffer.compare(one, start) >= 0 && Buffer.compare(one, end) < 0;
    fc.assert(
      fc.property(text, text, fc.string(), (sort, id, equal) => {
        const own = indexKey('c', 'i', { equals: [equal], sort }, id);
        expect(inside(own, searchRange('c', 'i', [equal]))).toBe(true);
        expect(inside(own, searchRange('c', 'i', [`${equal}!`]))).toBe(false);
        expect(inside(own, searchRange('c', 'j', [equal]))).toBe(false);
        expect(inside(own, documentsOf('c'))).toBe(true);
        expect(inside(documentKey('ca', id), documentsOf('c'))).toBe(false);
      }),
    );
  });
});
