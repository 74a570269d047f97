import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils';
import { isReserved } from './codecs';
import { type AddressCheck } from './network';
import { checksumMismatch, invalid, reservedAddress } from './problems';

/** Stands for the native asset in many interfaces; nobody owns this account. */
const NATIVE_PLACEHOLDER = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';

/** EIP-55: a letter is upper case where the hash of the lower-case address has a digit of 8 or more. */
export function eip55(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)));
  return `0x${Array.from(digits, (digit, index) => (parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`;
}

/**
 * Mixed case carries a checksum, which must be right. A single case carries none: many programs print it that way, so
 * it is accepted, and stored in the checksummed form that protects later copies.
 */
export const evmAddress: AddressCheck = (address) => {
  if (!/^(?:0x[0-9a-fA-F]{40}|0X[0-9A-F]{40})$/.test(address))
    return invalid(
      'The address must be 0x and 40 hexadecimal digits. Copy it from the wallet; names are not resolved.',
    );
  const digits = address.slice(2);
  const isInOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (!isInOneCase && address !== eip55(address)) return checksumMismatch;
  const unusable = isReserved(hexToBytes(digits)) || address.toLowerCase() === NATIVE_PLACEHOLDER;
  return unusable ? reservedAddress : undefined;
};
