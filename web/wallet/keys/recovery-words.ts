import { hmac } from '@noble/hashes/hmac';
import { sha512 } from '@noble/hashes/sha2';
import { entropyToMnemonic, generateMnemonic, mnemonicToEntropy, mnemonicToSeedSync } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english';

const HARDENED = 0x8000_0000;
/** SEP-5: m/44'/148'/account'. */
const PATH = [44, 148];

/** 24 words: 256 bits from the browser's random source. */
export const newWords = (): string => generateMnemonic(wordlist, 256);

export const wordsOf = (entropy: Uint8Array): string => entropyToMnemonic(entropy, wordlist);

export type WordsProblem = 'count' | 'unknown' | 'checksum';

/** As people paste them: numbered or not, over several lines, in capitals. */
export const tidyWords = (typed: string): string =>
  typed
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
    .join(' ');

export function readWords(typed: string): Readonly<{ entropy: Uint8Array } | { problem: WordsProblem; word?: string }> {
  const words = tidyWords(typed).split(' ');
  if (![12, 15, 18, 21, 24].includes(words.length)) return { problem: 'count' };
  const unknown = words.find((word) => !wordlist.includes(word));
  if (unknown !== undefined) return { problem: 'unknown', word: unknown };
  try {
    return { entropy: mnemonicToEntropy(words.join(' '), wordlist) };
  } catch {
    return { problem: 'checksum' };
  }
}

/** The 32-byte Ed25519 seed of one account of these words (SLIP-0010, every step hardened). */
export function accountSeed(words: string, account: number): Uint8Array {
  if (!Number.isInteger(account) || account < 0 || account >= HARDENED) throw new RangeError('no such account');
  let node = hmac(sha512, new TextEncoder().encode('ed25519 seed'), mnemonicToSeedSync(words));
  for (const step of [...PATH, account]) node = child(node, step);
  return node.slice(0, 32);
}

function child(node: Uint8Array, step: number): Uint8Array {
  const data = new Uint8Array(37);
  data.set(node.subarray(0, 32), 1);
  new DataView(data.buffer).setUint32(33, HARDENED + step);
  return hmac(sha512, node.subarray(32), data);
}
