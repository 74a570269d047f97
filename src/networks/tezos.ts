import { decodeBase58Check, isReserved, startsWithBytes } from './codecs';
import { type AddressCheck } from './network';
import { checksumMismatch, invalid, reservedAddress } from './problems';

const PREFIXES = {
  tz1: [0x06, 0xa1, 0x9f],
  tz2: [0x06, 0xa1, 0xa1],
  tz3: [0x06, 0xa1, 0xa4],
  tz4: [0x06, 0xa1, 0xa6],
  KT1: [0x02, 0x5a, 0x79],
} as const;

/** Accounts and contracts: multisignature wallets are contracts, and a contract that takes no payment returns it. */
export const tezosAddress: AddressCheck = (address) => {
  if (/^(?:edpk|sppk|p2pk|BLpk)/.test(address))
    return invalid('This is a public key. Give the address made from it, which starts with tz.');
  if (address.startsWith('sr1'))
    return invalid('This is a rollup, which cannot be paid. Give an address that starts with tz.');
  if (!/^(?:tz[1-4]|KT1)[1-9A-HJ-NP-Za-km-z]{33}$/.test(address))
    return invalid(
      'A Tezos address starts with tz1, tz2, tz3, tz4 or KT1 and has 36 characters. Copy it from the wallet.',
    );
  const bytes = decodeBase58Check(address);
  if (!bytes) return checksumMismatch;
  if (bytes.length !== 23 || !Object.values(PREFIXES).some((prefix) => startsWithBytes(bytes, prefix)))
    return invalid('This is not the address of a Tezos account. Copy the receiving address from the wallet.');
  return isReserved(bytes.subarray(3)) ? reservedAddress : undefined;
};
