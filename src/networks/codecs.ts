import { createBase58check } from '@scure/base';
import { sha256 } from '@noble/hashes/sha2';

/** Codecs throw on bad input; here bad input is an ordinary result. */
export function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

const base58check = createBase58check(sha256);
export const decodeBase58Check = (text: string): Uint8Array | undefined => attempt(() => base58check.decode(text));

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGITS = new Map([...BASE58].map((sign, digit) => [sign, digit]));

/** A body may contain hundreds of them, and the library takes a quarter of a millisecond for each. */
export function decodeBase58(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length);
  let used = 0;
  for (const sign of text) {
    let carry = DIGITS.get(sign) ?? -1;
    if (carry < 0) return undefined;
    for (let at = 0; at < used || carry > 0; at += 1) {
      carry += (bytes[at] ?? 0) * 58;
      bytes[at] = carry & 0xff;
      carry >>= 8;
      if (at >= used) used = at + 1;
    }
  }
  const zeros = text.length - text.replace(/^1+/, '').length;
  const whole = new Uint8Array(zeros + used);
  for (let at = 0; at < used; at += 1) whole[zeros + at] = bytes[used - 1 - at] ?? 0;
  return whole;
}

/** Whether a text has a valid Base58Check checksum. */
export function isBase58Check(text: string): boolean {
  const whole = decodeBase58(text);
  if (whole === undefined || whole.length < 4) return false;
  return sameBytes(sha256(sha256(whole.subarray(0, -4))).subarray(0, 4), whole.subarray(-4));
}

/** CRC-16/XMODEM, which StrKey and TON share; it is not a hash, so no library here provides it. */
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
 * A hash or key never has twelve leading zero bytes by chance. An address that has them was chosen: the null address, a
 * precompile, a system contract or a burn address.
 */
export const isReserved = (payload: Uint8Array): boolean => payload.subarray(0, 12).every((byte) => byte === 0);
