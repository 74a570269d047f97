import { createBase58check } from '@scure/base';
import { sha256 } from '@noble/hashes/sha2';

/** Codecs throw on bad input; here bad input is an ordinary answer. */
export function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

const base58check = createBase58check(sha256);
export const decodeBase58Check = (text: string): Uint8Array | undefined => attempt(() => base58check.decode(text));

/** CRC-16/XMODEM, which StrKey and TON share; it is no hash, so no library here carries it. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);

export const startsWithBytes = (bytes: Uint8Array, prefix: readonly number[]): boolean =>
  prefix.every((byte, index) => bytes[index] === byte);

/**
 * Twelve leading zero bytes never come out of a hash or a key by chance. What has them was chosen: the null address,
 * a precompile, a system contract or a burn address.
 */
export const isReserved = (payload: Uint8Array): boolean => payload.subarray(0, 12).every((byte) => byte === 0);
