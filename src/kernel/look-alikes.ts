import confusables from 'unhomoglyph/data.json';

/** Small capitals, which Unicode's table has only in part, and letters of other scripts that pass for Latin ones in a name. */
const OURS = [
  ...['ᴀa', 'ʙb', 'ᴄc', 'ᴅd', 'ᴇe', 'ꜰf', 'ɢg', 'ʜh', 'ɪi', 'ᴊj', 'ᴋk', 'ʟl', 'ᴍm', 'ɴn', 'ᴏo', 'ᴘp', 'ʀr', 'ꜱs', 'ᴛt'],
  ...['ᴜu', 'ᴠv', 'ᴡw', 'ʏy', 'ᴢz', 'аa', 'АA', 'сc', 'СC', 'ԁd', 'еe', 'ЕE', 'іi', 'ІI', 'ӏl', 'мm', 'МM', 'оo', 'ОO'],
  ...['рp', 'РP', 'ѕs', 'ЅS', 'тt', 'ТT', 'уy', 'УY', 'пn', 'гr', 'ιi', 'ΙI', 'οo', 'ΟO', 'αa', 'ΑA', 'εe', 'ΕE', 'τt'],
  ...['ΤT', 'ρp', 'ΡP', 'μm', 'ΜM', 'νn', 'ΝN', 'ɑa', 'ıi', 'ɡg'],
];

const NOT_ASCII = /[^\x00-\x7f]/gu;
const RUNS_OF_NOT_ASCII = /[^\x00-\x7f]+/g;
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

/** Written as one sign, these are words and syllables of scripts that look like nothing in Latin: taken apart they would be many times as long. */
const WORD_SIGNS = /[\u3300-\u3357\uac00-\ud7a3\ufdf0-\ufdff]/g;

/** What is left of other scripts: letters, of which a capital begins a word. */
function foreign(sign: string): string {
  if (!/\p{L}/u.test(sign)) return ' ';
  return /\p{Lu}/u.test(sign) ? ` ${sign}` : sign;
}

const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(NOT_ASCII, (sign) => latin.get(sign) ?? foreign(sign));

/** Those that Unicode's compatible form makes something else of than what they look like, or nothing: they are read first. */
const FIRST = new RegExp(
  `[${[...latin].flatMap(([sign, like]) => (folded(sign) === like ? [] : sign)).join('')}]`,
  'gu',
);

/** Met before, since the same few come again and again. */
const known = new Map<string, string>();
const MOST_KNOWN = 60_000;

/** All at once, each on a line of its own: by itself each would cost ten times as much, and a body may bring twenty thousand. */
function likesOf(signs: readonly string[]): ReadonlyMap<string, string> {
  const given = signs.join('\n').replace(WORD_SIGNS, '\u4e00');
  const likes = folded(given.replace(FIRST, (sign) => latin.get(sign) ?? sign)).split('\n');
  return new Map(signs.map((sign, at) => [sign, likes[at] ?? '']));
}

/** After they were read, never before: whoever fills it up must not make anybody's text be read without what was known. */
function remember(likes: ReadonlyMap<string, string>): void {
  if (known.size + likes.size > MOST_KNOWN) known.clear();
  for (const [sign, like] of likes) known.set(sign, like);
}

/**
 * As it looks to somebody who reads Latin letters: marks and what cannot be seen are gone, letters are the ones they resemble.
 * Sign by sign: to normalize a text as a whole sorts its marks, which takes the square of their number.
 */
export function inLatin(text: string): string {
  const unknown = new Set<string>();
  const latinText = readBy(text, (sign) => known.get(sign) ?? (unknown.add(sign), ''));
  if (unknown.size === 0) return latinText;
  const learnt = likesOf([...unknown]);
  const readAgain = readBy(text, (sign) => known.get(sign) ?? learnt.get(sign) ?? '');
  remember(learnt);
  return readAgain;
}

const readBy = (text: string, likeOf: (sign: string) => string): string =>
  text.replace(RUNS_OF_NOT_ASCII, (signs) => {
    let like = '';
    for (const sign of signs) like += likeOf(sign);
    return like;
  });

/** What is taken for one another within ASCII, in one spelling: only to be compared with another such text, in lower case. */
export const asTaken = (text: string): string => text.replace(/[l1|]/g, 'i').replaceAll('0', 'o').replaceAll('rn', 'm');
