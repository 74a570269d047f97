import { base58 } from '@scure/base';
import { blake2b } from '@noble/hashes/blake2';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils';
import { attempt, isReserved, sameBytes } from './codecs';
import { type AddressCheck } from './network';
import { checksumMismatch, invalid, reservedAddress } from './problems';

const CONTEXT = utf8ToBytes('SS58PRE');
const POLKADOT = 0;
/** A network number of 64 or more takes two bytes, so its address is one byte longer. */
const LENGTHS = [35, 36];

/** SS58 with Polkadot's own network number; the same key encoded for another chain is refused, not converted. */
export const polkadotAddress: AddressCheck = (address) => {
  const expected = 'A Polkadot address starts with 1 and has 46 to 48 characters. Copy it from the wallet.';
  if (!/^[1-9A-HJ-NP-Za-km-z]{35,50}$/.test(address)) return invalid(expected);
  const bytes = attempt(() => base58.decode(address));
  if (!bytes || !LENGTHS.includes(bytes.length)) return invalid(expected);
  const body = bytes.subarray(0, -2);
  if (!sameBytes(blake2b(concatBytes(CONTEXT, body)).subarray(0, 2), bytes.subarray(-2))) return checksumMismatch;
  if (bytes.length !== 35 || body[0] !== POLKADOT)
    return invalid('This address is spelt for another chain. Give the Polkadot spelling, which starts with 1.');
  return isReserved(body.subarray(1)) ? reservedAddress : undefined;
};
