import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils';
import { isReserved } from './codecs';
import { type AddressCheck } from './network';
import { checksumMismatch, invalid, reservedAddress } from './problems';

/** Contract addresses are taken modulo this bound, so nothing lives at or above it. */
const ADDRESS_BOUND = 2n ** 251n - 256n;

/**
 * Like EIP-55, but over the number's bytes without leading zeros. Chain tools cut the hash to 250 bits first; that
 * touches the first two digits only, and an address below the bound has no letters there.
 */
export function starknetChecksum(address: string): string {
  const digits = address.slice(2).toLowerCase();
  const number = digits.replace(/^(?:00)+/, '');
  const hash = bytesToHex(keccak_256(hexToBytes(number)));
  return `0x${Array.from(digits, (digit, index) => (parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`;
}

/** Wallets commonly show small letters only, without a checksum; capitals among them must be the checksum's. */
export const starknetAddress: AddressCheck = (address) => {
  if (!/^0x[0-9a-fA-F]{64}$/.test(address))
    return invalid('Write the Starknet address as 0x and all 64 hexadecimal digits, leading zeros included.');
  if (BigInt(address) >= ADDRESS_BOUND)
    return invalid('This number is too large to be a Starknet address. Copy it again.');
  if (isReserved(hexToBytes(address.slice(2)))) return reservedAddress;
  return address === address.toLowerCase() || address === starknetChecksum(address) ? undefined : checksumMismatch;
};
