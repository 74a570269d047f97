import confusables from 'unhomoglyph/data.json';

/** Small capitals, which Unicode's table has only in part, and letters of other scripts that pass for Latin ones in a name. */
const OURS = [
  ...['ᴀa', 'ʙb', 'ᴄc', 'ᴅd', 'ᴇe', 'ꜰf', 'ɢg', 'ʜh', 'ɪi', 'ᴊj', 'ᴋk', 'ʟl', 'ᴍm', 'ɴn', 'ᴏo', 'ᴘp', 'ʀr', 'ꜱs', 'ᴛt'],
  ...['ᴜu', 'ᴠv', 'ᴡw', 'ʏy', 'ᴢz', 'аa', 'АA', 'сc', 'СC', 'ԁd', 'еe', 'ЕE', 'іi', 'ІI', 'ӏl', 'мm', 'МM', 'оo', 'ОO'],
  ...['рp', 'РP', 'ѕs', 'ЅS', 'тt', 'ТT', 'уy', 'УY', 'пn', 'гr', 'ιi', 'ΙI', 'οo', 'ΟO', 'αa', 'ΑA', 'εe', 'ΕE', 'τt'],
  ...['ΤT', 'ρp', 'ΡP', 'μm', 'ΜM', 'νn', 'ΝN', 'ɑa', 'ıi', 'ɡg'],
];

const NOT_ASCII = /[^\x00-\x7f]/gu;
const LETTERS = /^[A-Za-z]+$/;

/** What each letter of another script looks like, by Unicode's own table (UTS 39) and by ours, which comes first. */
const latin = new Map<string, string>();
for (const [sign, like] of Object.entries(confusables as Readonly<Record<string, string>>)) latin.set(sign, like);
for (const [sign = '', like = ''] of OURS) latin.set(sign, like);
for (const [sign, like] of latin) {
  const further = latin.get(like) ?? like;
  // The table writes every m as rn, because that is what an m may be taken for.
  if (/^[\x00-\x7f]/.test(sign) || !LETTERS.test(further)) latin.delete(sign);
  else latin.set(sign, further === 'rn' ? 'm' : further);
}

/** Written as one sign, these are whole words of scripts that look like nothing in Latin: taken apart they would be many times as long. */
const WORD_SIGNS = /[\u3300-\u3357\ufdf0-\ufdff]/g;

/** What is left of other scripts: letters, of which a capital begins a word. */
function foreign(sign: string): string {
  if (!/\p{L}/u.test(sign)) return ' ';
  return /\p{Lu}/u.test(sign) ? ` ${sign}` : sign;
}

/** Met before, since the same few come again and again. */
const known = new Map(latin);
const MOST_KNOWN = 20_000;

function read(sign: string): string {
  let like = known.get(sign);
  if (like === undefined) {
    like = foreign(sign);
    if (known.size < MOST_KNOWN) known.set(sign, like);
  }
  return like;
}

/** A letter has a few marks at most. Sorting a long run of them, as normalizing does, takes the square of its length. */
const MARKS = /([\p{M}\uff9e\uff9f]{4})[\p{M}\uff9e\uff9f]+/gu;

const folded = (text: string): string =>
  text
    .replace(MARKS, '$1')
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(NOT_ASCII, read);

/** Those that Unicode's compatible form makes something else of than what they look like, or nothing: they are read first. */
const FIRST = new RegExp(
  `[${[...latin].flatMap(([sign, like]) => (folded(sign) === like ? [] : sign)).join('')}]`,
  'gu',
);

/** As it looks to somebody who reads Latin letters: marks and what cannot be seen are gone, letters are the ones they resemble. */
export const inLatin = (text: string): string =>
  folded(text.replace(WORD_SIGNS, '\u4e00').replace(FIRST, (sign) => latin.get(sign) ?? sign));

/** What is taken for one another within ASCII, in one spelling: only to be compared with another such text, in lower case. */
export const asTaken = (text: string): string => text.replace(/[l1|]/g, 'i').replaceAll('0', 'o').replaceAll('rn', 'm');
