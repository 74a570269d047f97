import { hash } from 'node:crypto';
import { wordlist } from '@scure/bip39/wordlists/english';

const PHRASE_LENGTHS: readonly number[] = [12, 15, 18, 21, 24];
/** The lengths that wallets generate. The others count only if a run of listed words is exactly that long. */
const USUAL_LENGTHS: readonly number[] = [12, 24];
const MIN_WORDS = 12;
const [SHORTEST_WORD, LONGEST_WORD] = [3, 8];
const MIN_PHRASE_LENGTH = MIN_WORDS * (SHORTEST_WORD + 1) - 1;
const BITS_OF_A_WORD = 11;
const [COLON, EQUALS] = [0x3a, 0x3d];
/** In lower case these are, or begin with, an ASCII letter: `kiwi` may be spelled with a Kelvin sign. */
const FOLDED_TO_ASCII = /[\u0130\u212a]/;

const places: ReadonlyMap<string, number> = new Map(wordlist.map((word, place) => [word, place]));

/**
 * Whether a text contains a BIP-39 recovery phrase, however its words are separated and numbered. Every word must be in
 * the English list and the checksum must match, which ordinary sentences do not achieve. Every request brings texts of
 * any length, so words are looked up only where twelve in a row have a suitable length. Listed words count as a phrase
 * where `mayHash` does not let the checksum be computed: that is the most expensive step.
 */
export function holdsRecoveryPhrase(text: string, mayHash: () => boolean = () => true): boolean {
  if (text.length < MIN_PHRASE_LENGTH || text === harmless) return false;
  const isFolded = FOLDED_TO_ASCII.test(text);
  let [words, first, begun, isListed] = [0, 0, -1, isFolded];
  for (let at = 0; at <= text.length; at += 1) {
    const code = at === text.length ? COLON : text.charCodeAt(at);
    if (isLetter(code)) {
      if (begun < 0) begun = at;
      continue;
    }
    const length = begun < 0 ? undefined : at - begun;
    const fits = length === undefined || (length >= SHORTEST_WORD && length <= LONGEST_WORD);
    if (length !== undefined && fits) {
      if (words === 0) first = begun;
      words += 1;
      // Of twelve listed words in a row, one is at such a place: most other texts are ruled out by that.
      if (words % MIN_WORDS === 0) isListed ||= places.has(text.slice(begun, at).toLowerCase());
    }
    begun = -1;
    // Text before a colon or equals sign is a label for what follows.
    if (fits && code !== COLON && code !== EQUALS) continue;
    if (words >= MIN_WORDS && isListed && isAmong(text.slice(first, at), mayHash)) return true;
    [words, isListed] = [0, isFolded];
  }
  if (text.length >= LONG_TEXT) harmless = text;
  return false;
}

/** The last long text that holds none: a key is asked about several times in a row. */
let harmless = '';
const LONG_TEXT = 1_000;

const isLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;

/** Whether adjacent words of the list are a phrase, or begin or end with one: "you" and "need" are listed too. */
function isAmong(text: string, mayHash: () => boolean): boolean {
  const small = text.toLowerCase();
  let together: number[] = [];
  for (let end = 0; ;) {
    let begin = end;
    while (begin < small.length && !isSmallLetter(small.charCodeAt(begin))) begin += 1;
    end = begin;
    while (end < small.length && isSmallLetter(small.charCodeAt(end))) end += 1;
    const mayBeListed = end - begin >= SHORTEST_WORD && end - begin <= LONGEST_WORD;
    const place = mayBeListed ? places.get(small.slice(begin, end)) : undefined;
    if (place !== undefined) together.push(place);
    else if (together.length >= MIN_WORDS && isPhrase(together, mayHash)) return true;
    else if (begin === end) return false;
    else if (together.length > 0) together = [];
  }
}

const isSmallLetter = (code: number): boolean => code >= 0x61 && code <= 0x7a;

function isPhrase(words: readonly number[], mayHash: () => boolean): boolean {
  const isGenuine = (those: readonly number[]): boolean => !mayHash() || hasChecksum(those);
  return (
    (PHRASE_LENGTHS.includes(words.length) && isGenuine(words)) ||
    USUAL_LENGTHS.some(
      (length) => words.length > length && (isGenuine(words.slice(-length)) || isGenuine(words.slice(0, length))),
    )
  );
}

/** The last bits of a phrase are the first bits of the hash of the rest. */
function hasChecksum(words: readonly number[]): boolean {
  const entropy: number[] = [];
  const length = (words.length * 4) / 3;
  let [bits, held] = [0, 0];
  for (const word of words) {
    bits = (bits << BITS_OF_A_WORD) | word;
    held += BITS_OF_A_WORD;
    while (held >= 8 && entropy.length < length) {
      held -= 8;
      entropy.push(bits >> held);
      bits &= (1 << held) - 1;
    }
  }
  const firstByte = Number.parseInt(hash('sha256', Uint8Array.from(entropy), 'hex').slice(0, 2), 16);
  return bits === firstByte >> (8 - held);
}
