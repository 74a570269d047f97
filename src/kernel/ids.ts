import { hash } from 'node:crypto';
import { v7 } from 'uuid';

export type IdPrefix =
  | 'mac'
  | 'pdk'
  | 'lnk'
  | 'grt'
  | 'ses'
  | 'mer'
  | 'dom'
  | 'dnm'
  | 'rcp'
  | 'rcv'
  | 'evd'
  | 'agt'
  | 'crd'
  | 'cpk'
  | 'ast'
  | 'dev'
  | 'inv'
  | 'prs'
  | 'con'
  | 'pr'
  | 'txn'
  | 'whe'
  | 'whk'
  | 'whd'
  | 'rwd'
  | 'key'
  | 'pol'
  | 'psl'
  | 'ap'
  | 'rsv'
  | 'evt'
  | 'req';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const DIGITS = 26;

/** `dev_01J…`: the prefix says what it is, 26 characters of Crockford base32 carry a time-ordered UUIDv7. */
export const newId = <P extends IdPrefix>(prefix: P): Id<P> => `${prefix}_${encode(v7(undefined, new Uint8Array(16)))}`;

/** A string of that form. The compiler accepts no plain string as an id: text from outside must pass `isIdOf`. */
export type Id<P extends IdPrefix = IdPrefix> = `${P}_${string}`;

const FORM = /^[0-9A-HJKMNP-TV-Z]{26}$/;

export const isIdOf = <P extends IdPrefix>(prefix: P, text: string): text is Id<P> =>
  text.startsWith(`${prefix}_`) && FORM.test(text.slice(prefix.length + 1));

/**
 * The same parts always give the same id: where a missing stream is the lock, its name must follow from the intent. The
 * bits are those of a UUIDv8, so that engines that require UUIDs accept it too.
 */
export function derivedId<P extends IdPrefix>(prefix: P, ...parts: readonly string[]): Id<P> {
  const bytes = hash('sha256', JSON.stringify(parts), 'buffer').subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return idOfBytes(prefix, bytes);
}

export const idOfBytes = <P extends IdPrefix>(prefix: P, bytes: Uint8Array): Id<P> => `${prefix}_${encode(bytes)}`;

/** The 16 bytes inside an id. */
export function bytesOf(id: string): Buffer {
  let value = 0n;
  for (const digit of id.slice(id.indexOf('_') + 1)) value = (value << 5n) | BigInt(CROCKFORD.indexOf(digit));
  return Buffer.from(value.toString(16).padStart(32, '0'), 'hex');
}

/** The UUID inside an id, for engines that want one. */
export const uuidOf = (id: string): string =>
  bytesOf(id)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

function encode(bytes: Uint8Array): string {
  let out = '';
  let bits = 0;
  let buffer = 0;
  // 26 digits hold 130 bits: two leading zero bits, then the 128 of the UUID.
  let pending = 2;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits + pending >= 5) {
      const take = 5 - pending;
      out += CROCKFORD[(buffer >>> (bits - take)) & ((1 << take) - 1)];
      bits -= take;
      buffer &= (1 << bits) - 1;
      pending = 0;
    }
  }
  if (out.length !== DIGITS) throw new Error('an id needs 16 bytes');
  return out;
}
