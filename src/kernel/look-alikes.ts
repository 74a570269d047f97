import confusables from 'unhomoglyph/data.json';
import { CodeWriter, keeping, onlyKept } from './code-writer';

/** Small capitals, which Unicode's table has only in part, and letters of other scripts that pass for Latin ones. */
const OWN_TABLE = [
  ...['ᴀa', 'ʙb', 'ᴄc', 'ᴅd', 'ᴇe', 'ꜰf', 'ɢg', 'ʜh', 'ɪi', 'ᴊj', 'ᴋk', 'ʟl', 'ᴍm', 'ɴn', 'ᴏo', 'ᴘp', 'ʀr', 'ꜱs', 'ᴛt'],
  ...['ᴜu', 'ᴠv', 'ᴡw', 'ʏy', 'ᴢz', 'аa', 'АA', 'сc', 'СC', 'ԁd', 'еe', 'ЕE', 'іi', 'ІI', 'ӏl', 'мm', 'МM', 'оo', 'ОO'],
  ...['рp', 'РP', 'ѕs', 'ЅS', 'тt', 'ТT', 'уy', 'УY', 'пn', 'гr', 'ιi', 'ΙI', 'οo', 'ΟO', 'αa', 'ΑA', 'εe', 'ΕE', 'τt'],
  ...['ΤT', 'ρp', 'ΡP', 'μm', 'ΜM', 'νn', 'ΝN', 'ɑa', 'ıi', 'ɡg'],
];

const NOT_ASCII = /[^\x00-\x7f]/gu;
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
const known = new Map<number, string>();
const MAX_KNOWN = 60_000;

/** All at once, one per line: separately each would cost ten times as much, and a body may bring twenty thousand. */
function likesOf(codePoints: readonly number[]): ReadonlyMap<number, string> {
  const signs = codePoints.map((code) => String.fromCodePoint(code));
  const given = signs.join('\n').replace(WORD_SIGNS, '\u4e00');
  const likes = folded(given.replace(MAPPED_BEFORE_NORMALIZATION, (sign) => latin.get(sign) ?? sign)).split('\n');
  return new Map(codePoints.map((code, at) => [code, likes[at] ?? '']));
}

/** After a text was read, never before: clearing a full cache must not drop entries that the text still needs. */
function remember(likes: ReadonlyMap<number, string>): void {
  if (known.size + likes.size > MAX_KNOWN) known.clear();
  for (const [sign, like] of likes) known.set(sign, like);
}

/**
 * The text as it looks to a reader of Latin letters: marks and invisible characters are gone, letters become those they
 * resemble. Sign by sign: normalizing a whole text sorts its marks, which takes quadratic time.
 */
export function inLatin(text: string): string {
  const unknown = new Set<number>();
  const latinText = readBy(text, (sign) => known.get(sign) ?? (unknown.add(sign), ''));
  if (unknown.size === 0) return latinText;
  const learnt = likesOf([...unknown]);
  const readAgain = readBy(text, (sign) => known.get(sign) ?? learnt.get(sign) ?? '');
  remember(learnt);
  return readAgain;
}

function readBy(text: string, likeOf: (codePoint: number) => string): string {
  const writer = new CodeWriter(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.codePointAt(at) ?? 0;
    if (sign < 0x80) writer.put(sign);
    else writer.putAll(likeOf(sign));
    if (sign > 0xffff) at += 1;
  }
  return writer.toString();
}

const LETTERS_AND_LINE_ENDS = keeping('abcdefghijklmnopqrstuvwxyz\n');
const TAKEN = Uint8Array.from(LETTERS_AND_LINE_ENDS);
for (const [sign, as] of ['li', '1i', '|i', '0o'].map(charCodes)) TAKEN[sign ?? 0] = as ?? 0;
const [SMALL_M = 0, SMALL_N, SMALL_R] = charCodes('mnr');

/** The letters and line ends of a text in lower case; what is not ASCII by now is a letter. */
export const lettersOf = (text: string): string => onlyKept(text, LETTERS_AND_LINE_ENDS, true);

/** The same with one spelling for ASCII characters mistaken for each other: only for comparing two such texts. */
export function asTaken(text: string): string {
  const writer = new CodeWriter(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const as = TAKEN[code] ?? 0;
    if (as === SMALL_N && writer.last === SMALL_R) writer.replaceLast(SMALL_M);
    else if (as !== 0) writer.put(as);
  }
  return writer.toString();
}

function charCodes(text: string): readonly number[] {
  return [...text].map((sign) => sign.charCodeAt(0));
}
