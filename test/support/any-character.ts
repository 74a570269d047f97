import fc from 'fast-check';

const LAST = 0x10ffff;
const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * One character of all of Unicode, as `unit` of a text: what fast-check calls 'binary', without the table of a million
 * characters that fast-check builds for it, which takes a second.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: LAST - SURROGATES.count })
  .map(characterAt, placeOf);

function characterAt(place: number): string {
  return String.fromCodePoint(place < SURROGATES.first ? place : place + SURROGATES.count);
}

/** Throws for what is not one character, as fast-check expects. */
function placeOf(text: unknown): number {
  const point = typeof text === 'string' ? text.codePointAt(0) : undefined;
  if (point === undefined || text !== String.fromCodePoint(point)) throw new Error('not one character');
  if (point < SURROGATES.first) return point;
  if (point < SURROGATES.first + SURROGATES.count) throw new Error('half a character');
  return point - SURROGATES.count;
}
