// Writes src/kernel/look-alike-table.json: for each character beyond ASCII, what a reader of Latin letters takes it for. Run it
// with a Node whose Unicode version is newer, or after a change here: `node scripts/look-alike-table.js`. A spec compares the two.
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const confusables = require('unhomoglyph/data.json');

/** Small capitals, which Unicode's table has only in part, and letters of other scripts that pass for Latin ones. */
const OWN_TABLE = [
  ...['ᴀa', 'ʙb', 'ᴄc', 'ᴅd', 'ᴇe', 'ꜰf', 'ɢg', 'ʜh', 'ɪi', 'ᴊj', 'ᴋk', 'ʟl', 'ᴍm', 'ɴn', 'ᴏo', 'ᴘp', 'ʀr', 'ꜱs', 'ᴛt'],
  ...['ᴜu', 'ᴠv', 'ᴡw', 'ʏy', 'ᴢz', 'аa', 'АA', 'сc', 'СC', 'ԁd', 'еe', 'ЕE', 'іi', 'ІI', 'ӏl', 'мm', 'МM', 'оo', 'ОO'],
  ...['рp', 'РP', 'ѕs', 'ЅS', 'тt', 'ТT', 'уy', 'УY', 'пn', 'гr', 'ιi', 'ΙI', 'οo', 'ΟO', 'αa', 'ΑA', 'εe', 'ΕE', 'τt'],
  ...['ΤT', 'ρp', 'ΡP', 'μm', 'ΜM', 'νn', 'ΝN', 'ɑa', 'ıi', 'ɡg'],
];

const FIRST = 0x80;
const LAST = 0x10ffff;
/** Marks in the table: the character itself, and a space before it, as a capital begins a word. */
const [ITSELF, SPACE_AND_ITSELF] = [0, 1];

const NOT_ASCII = /[^\x00-\x7f]/gu;
const LETTERS = /^[A-Za-z]+$/;

/** What each letter of another script looks like, by Unicode's table (UTS 39) and by ours, which takes precedence. */
const latin = new Map(Object.entries(confusables));
for (const [sign, like] of OWN_TABLE) latin.set(sign, like);
for (const [sign, like] of latin) {
  const further = latin.get(like) ?? like;
  // The table maps every m to rn, because the two look alike: this undoes it.
  if (/^[\x00-\x7f]/.test(sign) || !LETTERS.test(further)) latin.delete(sign);
  else latin.set(sign, further === 'rn' ? 'm' : further);
}

/** Single signs for words and syllables unlike anything in Latin: decomposed, they would be many times as long. */
const WORD_SIGNS = /[\u3300-\u3357\uac00-\ud7a3\ufdf0-\ufdff]/;

/** Signs that resemble no Latin letter: letters stay, a capital begins a word, and anything else ends one. */
function foreign(sign) {
  if (!/\p{L}/u.test(sign)) return ' ';
  return /\p{Lu}/u.test(sign) ? ` ${sign}` : sign;
}

const folded = (text) =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(NOT_ASCII, (sign) => latin.get(sign) ?? foreign(sign));

/** Compatibility normalization drops some signs, or turns them into something they do not resemble: ours come first. */
function likeOf(sign) {
  if (WORD_SIGNS.test(sign)) return '\u4e00';
  const like = folded(sign);
  return latin.has(sign) && like !== latin.get(sign) ? latin.get(sign) : like;
}

/** Runs of characters that look alike, from U+0080 on: how many there are, and what each of them looks like. */
function lookAlikeTable() {
  const [counts, likes] = [[], []];
  for (let code = FIRST; code <= LAST; code += 1) {
    const sign = String.fromCodePoint(code);
    const found = likeOf(sign);
    const like = found === sign ? ITSELF : found === ` ${sign}` ? SPACE_AND_ITSELF : found;
    if (like === likes.at(-1)) counts[counts.length - 1] += 1;
    else {
      counts.push(1);
      likes.push(like);
    }
  }
  return { unicode: process.versions.unicode, counts, likes };
}

module.exports = { lookAlikeTable };

if (require.main === module)
  writeFileSync(join(__dirname, '../src/kernel/look-alike-table.json'), `${JSON.stringify(lookAlikeTable())}\n`);
