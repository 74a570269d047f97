import { CodeWriter } from './code-writer';
import lookAlikes from './look-alike-table.json';

const FIRST_BEYOND_ASCII = 0x80;
/** Marks a capital of another script in the table: it begins a word. A character that only looks like itself is 0 there. */
const SPACE_AND_ITSELF = 1;
const SPACE = 0x20;

const LIKES: readonly (string | number)[] = lookAlikes.likes;
/** The first code point of each run of characters that look alike. */
const BEGINS = new Uint32Array(LIKES.length);
lookAlikes.counts.reduce((begin, count, run) => ((BEGINS[run] = begin), begin + count), FIRST_BEYOND_ASCII);

/**
 * What a reader of Latin letters takes it for. Looked up in a table, because a body may bring twenty thousand different
 * characters, and to decompose each of them would hold up every other caller.
 */
function likeOf(codePoint: number): string | number | undefined {
  let [low, high] = [0, BEGINS.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((BEGINS[middle] ?? 0) > codePoint) high = middle - 1;
    else low = middle;
  }
  return LIKES[low];
}

/**
 * The text as it looks to a reader of Latin letters: marks and invisible characters are gone, letters become those they
 * resemble. Sign by sign: normalizing a whole text sorts its marks, which takes quadratic time.
 */
export function inLatin(text: string): string {
  const writer = new CodeWriter(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.codePointAt(at) ?? 0;
    if (sign < FIRST_BEYOND_ASCII) writer.put(sign);
    else write(writer, likeOf(sign), text, at);
    if (sign > 0xffff) at += 1;
  }
  return writer.toString();
}

function write(writer: CodeWriter, like: string | number | undefined, text: string, at: number): void {
  if (typeof like === 'string') return writer.putAll(like);
  if (like === SPACE_AND_ITSELF) writer.put(SPACE);
  writer.put(text.charCodeAt(at));
  if ((text.codePointAt(at) ?? 0) > 0xffff) writer.put(text.charCodeAt(at + 1));
}
