import { base58xrp, utils } from '@scure/base';
import { sha256 } from '@noble/hashes/sha2';
import { attempt, isReserved } from './codecs';
import { type AddressCheck } from './network';
import { checksumMismatch, invalid, reservedAddress, secretPasted, testnetForm } from './problems';

const checkedBase58 = utils.chain(
  utils.checksum(4, (data) => sha256(sha256(data))),
  base58xrp,
);
export const decodeXrplBase58 = (text: string): Uint8Array | undefined => attempt(() => checkedBase58.decode(text));

const EXPECTED =
  'An XRP Ledger address starts with r and has 25 to 35 characters. Copy the classic address from the wallet.';

/**
 * Classic addresses only. An X-address packs address and tag into one string; accepting it would give the tag two
 * places, and a wallet that reads only one of them would pay without it.
 */
export const xrplAddress: AddressCheck = (address) => {
  if (/^s[1-9A-HJ-NP-Za-km-z]{20,34}$/.test(address)) return secretPasted;
  if (/^X[1-9A-HJ-NP-Za-km-z]{46}$/.test(address))
    return invalid('This is an X-address. Give the classic r… address, and its destination tag as memo.');
  if (/^T[1-9A-HJ-NP-Za-km-z]{46}$/.test(address))
    return testnetForm('This is an X-address of the XRP test network. Give a classic r… address of the main network.');
  if (!/^r[1-9A-HJ-NP-Za-km-z]{24,34}$/.test(address)) return invalid(EXPECTED);
  const bytes = decodeXrplBase58(address);
  if (!bytes) return checksumMismatch;
  if (bytes.length !== 21 || bytes[0] !== 0) return invalid(EXPECTED);
  return isReserved(bytes.subarray(1)) ? reservedAddress : undefined;
};
