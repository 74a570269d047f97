import confusables from 'unhomoglyph/data.json';

/** Small capitals, which Unicode's table has only in part, and letters of other scripts that pass for Latin ones. */
const OWN_TABLE = [
  ...['ᴀa', 'ʙb', 'ᴄc', 'ᴅd', 'ᴇe', 'ꜰf', 'ɢg', 'ʜh', 'ɪi', 'ᴊj', 'ᴋk', 'ʟl', 'ᴍm', 'ɴn', 'ᴏo', 'ᴘp', 'ʀr', 'ꜱs', 'ᴛt'],
  ...['ᴜu', 'ᴠv', 'ᴡw', 'ʏy', 'ᴢz', 'аa', 'АA', 'сc', 'СC', 'ԁd', 'еe', 'ЕE', 'іi', 'ІI', 'ӏl', 'мm', 'МM', 'оo', 'ОO'],
  ...['рp', 'РP', 'ѕs', 'ЅS', 'тt', 'ТT', 'уy', 'УY', 'пn', 'гr', 'ιi', 'ΙI', 'οo', 'ΟO', 'αa', 'ΑA', 'εe', 'ΕE', 'τt'],
  ...['ΤT', 'ρp', 'ΡP', 'μm', 'ΜM', 'νn', 'ΝN', 'ɑa', 'ıi', 'ɡg'],
];

const NOT_ASCII = /[^\x00-\x7f]/gu;
const RUNS_OF_NOT_ASCII = /[^\x00-\x7f]+/g;
const LETTERS = /^[A-Za-z]+$/;

/** What each letter of another script looks like, by Unicode's table (UTS 39) and by ours, which takes precedence. */
const latin = new Map<string, string>();
for (const [sign, like] of Object.entries(confusables as Readonly<Record<string, string>>)) latin.set(sign, like);
for (const [sign = '', like = ''] of OWN_TABLE) latin.set(sign, like);
for (const [sign, like] of latin) {
  const further = latin.get(like) ?? like;
  // The table maps every m to rn, because the two look alike: this undoes it.
  if (/^[\x00-\x7f]/.test(sign) || !LETTERS.test(further)) latin.delete(sign);
  else latin.set(sign, further === 'rn' ? 'm' : further);
}

/** Single signs for words and syllables unlike anything in Latin: decomposed, they would be many times as long. */
const WORD_SIGNS = /[\u3300-\u3357\uac00-\ud7a3\ufdf0-\ufdff]/g;

/** Signs that resemble no Latin letter: letters stay, a capital begins a word, and anything else ends one. */
function foreign(sign: string): string {
  if (!/\p{L}/u.test(sign)) return ' ';
  return /\p{Lu}/u.test(sign) ? ` ${sign}` : sign;
}

const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(NOT_ASCII, (sign) => latin.get(sign) ?? foreign(sign));

/** Signs that compatibility normalization drops or turns into something they do not resemble: mapped first. */
const MAPPED_BEFORE_NORMALIZATION = new RegExp(
  `[${[...latin].flatMap(([sign, like]) => (folded(sign) === like ? [] : sign)).join('')}]`,
  'gu',
);

/** Signs seen before, since the same few recur. */
const known = new Map<string, string>();
const MAX_KNOWN = 60_000;

/** All at once, one per line: separately each would cost ten times as much, and a body may bring twenty thousand. */
function likesOf(signs: readonly string[]): ReadonlyMap<string, string> {
  const given = signs.join('\n').replace(WORD_SIGNS, '\u4e00');
  const likes = folded(given.replace(MAPPED_BEFORE_NORMALIZATION, (sign) => latin.get(sign) ?? sign)).split('\n');
  return new Map(signs.map((sign, at) => [sign, likes[at] ?? '']));
}

/** After a text was read, never before: clearing a full cache must not drop entries that the text still needs. */
function remember(likes: ReadonlyMap<string, string>): void {
  if (known.size + likes.size > MAX_KNOWN) known.clear();
  for (const [sign, like] of likes) known.set(sign, like);
}

/**
 * The text as it looks to a reader of Latin letters: marks and invisible characters are gone, letters become those they
 * resemble. Sign by sign: normalizing a whole text sorts its marks, which takes quadratic time.
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

/** One spelling for ASCII characters mistaken for each other: only for comparing two such texts, in lower case. */
export const asTaken = (text: string): string => text.replace(/[l1|]/g, 'i').replaceAll('0', 'o').replaceAll('rn', 'm');
