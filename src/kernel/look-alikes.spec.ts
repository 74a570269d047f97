import { lookAlikeTable } from '../../scripts/look-alike-table';
import table from './look-alike-table.json';
import { inLatin } from './look-alikes';

describe('the table of look-alikes', () => {
  // Another version knows other characters: the table then stays as it is until it is written again.
  const isSameUnicode = process.versions['unicode'] === table.unicode;

  it('is what its program writes', () => {
    const written = lookAlikeTable();
    expect({ ...written, unicode: table.unicode }).toEqual(isSameUnicode ? table : expect.anything());
  });

  it('covers every character beyond ASCII', () => {
    expect(table.counts).toHaveLength(table.likes.length);
    expect(table.counts.reduce((sum, count) => sum + count, 0x80)).toBe(0x110000);
  });
});

describe('a text as it looks in Latin letters', () => {
  it.each([
    ['address', 'address'],
    ['àddréss', 'address'],
    ['ｍｅｍｏ', 'memo'],
    ['𝐦𝐞𝐦𝐨 ﬁ', 'memo fi'],
    ['ᴄontract', 'contract'],
    ['rec\u200bipient', 'recipient'],
    ['mемo', 'memo'],
    ['字', '字'],
    ['𠀀x', '𠀀x'],
    ['aЖ', 'a Ж'],
    ['a🙂b', 'a b'],
    ['각', '一'],
    ['\u{10ffff}', ' '],
    ['\ud800', ' '],
  ])('%j reads as %j', (text, latin) => expect(inLatin(text)).toBe(latin));
});
