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

/** Fewer digits than this are no address with its leading zeros left out, but a part of one. */
const FORM = /^0x[0-9a-fA-F]{50,64}$/;

/** An address is a number, so tools leave out its leading zeros. Stored with all 64 digits, as the chain shows it. */
export const starknetSpelling = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`;

/** Wallets commonly show lower case only, without a checksum; any upper-case letters must match the checksum. */
export const starknetAddress: AddressCheck = (written) => {
  if (!FORM.test(written))
    return invalid('Write the Starknet address as 0x and 64 hexadecimal digits; only leading zeros may be left out.');
  const address = starknetSpelling(written);
  if (BigInt(address) >= ADDRESS_BOUND)
    return invalid('This number is too large to be a Starknet address. Copy it again.');
  if (isReserved(hexToBytes(address.slice(2)))) return reservedAddress;
  return address === address.toLowerCase() || address === starknetChecksum(address) ? undefined : checksumMismatch;
};
