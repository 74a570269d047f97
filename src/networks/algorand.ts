import { base32nopad } from '@scure/base';
import { sha512_256 } from '@noble/hashes/sha2';
import { attempt, isReserved, sameBytes } from './codecs';
import { type AddressCheck } from './network';
import { checksumMismatch, invalid, reservedAddress } from './problems';

export const algorandAddress: AddressCheck = (address) => {
  if (!/^[A-Z2-7]{58}$/.test(address))
    return invalid('An Algorand address has 58 capital letters and digits. Copy it from the wallet.');
  const bytes = attempt(() => base32nopad.decode(address));
  if (bytes?.length !== 36) return checksumMismatch;
  const key = bytes.subarray(0, 32);
  if (!sameBytes(sha512_256(key).subarray(-4), bytes.subarray(32))) return checksumMismatch;
  return isReserved(key) ? reservedAddress : undefined;
};
