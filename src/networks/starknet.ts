import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils';
import { isReserved } from './codecs';
import { type AddressCheck } from './network';
import { checksumMismatch, invalid, reservedAddress } from './problems';

/** Contract addresses are computed modulo this bound, so there are none at or above it. */
const ADDRESS_BOUND = 2n ** 251n - 256n;

/**
 * Like EIP-55, but over the number's bytes without leading zeros. Chain tools first cut the hash to 250 bits; that
 * affects only the first two digits, and an address below the bound has no letters there.
 */
export function starknetChecksum(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const number = digits.replace(/^(?:00)+/, '');
  const hash = bytesToHex(keccak_256(hexToBytes(number)));
  return `0x${Array.from(digits, (digit, index) => (parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`;
}

/** Wallets commonly show lower case only, without a checksum; any upper-case letters must match the checksum. */
export const starknetAddress: AddressCheck = (address) => {
  if (!/^0x[0-9a-fA-F]{64}$/.test(address))
    return invalid('Write the Starknet address as 0x and all 64 hexadecimal digits, leading zeros included.');
  if (BigInt(address) >= ADDRESS_BOUND)
    return invalid('This number is too large to be a Starknet address. Copy it again.');
  if (isReserved(hexToBytes(address.slice(2)))) return reservedAddress;
  return address === address.toLowerCase() || address === starknetChecksum(address) ? undefined : checksumMismatch;
};
