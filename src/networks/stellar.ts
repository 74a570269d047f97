import { base32nopad } from '@scure/base';
import { attempt, crc16, isReserved } from './codecs';
import { type AddressCheck } from './network';
import { checksumMismatch, invalid, reservedAddress } from './problems';

const ED25519_PUBLIC_KEY = 6 << 3;
const MUXED_ACCOUNT = 12 << 3;
const CONTRACT = 2 << 3;

/**
 * Accounts only (G…). A muxed M… address carries an id that duplicates the memo, and a contract C… cannot receive an
 * ordinary payment, so both are refused by name. Seeds are caught before this check.
 */
export const stellarAddress: AddressCheck = (address) => {
  if (/^M[A-Z2-7]{68}$/.test(address))
    return invalid('This is a muxed M… address. Give the G… account behind it, and the memo the payee asks for.');
  if (/^C[A-Z2-7]{55}$/.test(address))
    return invalid('This is a contract C… address, which ordinary payments cannot reach. Give a G… account.');
  if (address.includes('*')) return invalid('This is a federation name. Give the G… account it stands for.');
  if (!/^G[A-Z2-7]{55}$/.test(address))
    return invalid('A Stellar account starts with G and has 56 capital letters and digits. Copy it from the wallet.');
  const bytes = attempt(() => base32nopad.decode(address));
  if (!bytes || bytes.length !== 35) return checksumMismatch;
  const crc = (bytes[33] ?? 0) | ((bytes[34] ?? 0) << 8);
  if (bytes[0] !== ED25519_PUBLIC_KEY || crc16(bytes.subarray(0, 33)) !== crc) return checksumMismatch;
  return isReserved(bytes.subarray(1, 33)) ? reservedAddress : undefined;
};

/** The account that an address pays: its own, or the one behind a muxed M… address. Undefined if it is neither. */
export function stellarAccount(address: string): string | undefined {
  if (!/^(?:G[A-Z2-7]{55}|M[A-Z2-7]{68})$/.test(address)) return undefined;
  const bytes = attempt(() => base32nopad.decode(address));
  if (!bytes) return undefined;
  const payload = bytes.subarray(0, -2);
  const crc = (bytes.at(-2) ?? 0) | ((bytes.at(-1) ?? 0) << 8);
  if (crc16(payload) !== crc) return undefined;
  if (payload[0] === ED25519_PUBLIC_KEY && payload.length === 33) return address;
  return payload[0] === MUXED_ACCOUNT && payload.length === 41 ? accountFrom(payload.subarray(1, 33)) : undefined;
}

/** Whether it is the address of a contract. */
export function stellarContract(address: string): boolean {
  const bytes = /^C[A-Z2-7]{55}$/.test(address) ? attempt(() => base32nopad.decode(address)) : undefined;
  return bytes?.[0] === CONTRACT && crc16(bytes.subarray(0, 33)) === ((bytes[33] ?? 0) | ((bytes[34] ?? 0) << 8));
}

function accountFrom(publicKey: Uint8Array): string {
  const payload = Uint8Array.of(ED25519_PUBLIC_KEY, ...publicKey);
  const crc = crc16(payload);
  return base32nopad.encode(Uint8Array.of(...payload, crc & 0xff, crc >> 8));
}
