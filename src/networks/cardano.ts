import { bech32 } from '@scure/base';
import { attempt, isReserved } from './codecs';
import { type AddressCheck } from './network';
import { checksumMismatch, invalid, reservedAddress, testnetForm } from './problems';

const MAINNET = 1;
/** Header types 0–3 hold a payment and a stake part, 6 and 7 only a payment part. */
const LENGTH_OF_TYPE: ReadonlyMap<number, number> = new Map([
  [0, 57],
  [1, 57],
  [2, 57],
  [3, 57],
  [6, 29],
  [7, 29],
]);

/**
 * Shelley payment addresses. No current wallet hands out Byron or pointer addresses for receiving, so they are refused
 * by name instead of adding a CBOR decoder.
 */
export const cardanoAddress: AddressCheck = (address) => {
  if (/^(?:addr|stake)_test1/.test(address))
    return testnetForm('This address belongs to a Cardano test network. Give one that starts with addr1.');
  if (address.startsWith('stake1'))
    return invalid('This is a stake address, which cannot be paid. Give a payment address that starts with addr1.');
  if (/^(?:Ae2|Ddz)[1-9A-HJ-NP-Za-km-z]+$/.test(address))
    return invalid('This is a Byron-era address. Give the present form from the wallet, which starts with addr1.');
  if (!/^addr1[02-9ac-hj-np-z]{50,110}$/.test(address))
    return invalid('A Cardano address starts with addr1 and is written in small letters. Copy it from the wallet.');
  // Base addresses exceed the 90-character limit of the original bech32, which Cardano lifts.
  const decoded = bech32.decodeUnsafe(address, 128);
  if (!decoded) return checksumMismatch;
  const bytes = attempt(() => bech32.fromWords(decoded.words));
  const header = bytes?.[0];
  if (!bytes || header === undefined || decoded.prefix !== 'addr') return checksumMismatch;
  if ((header & 0x0f) !== MAINNET)
    return testnetForm('This address belongs to another Cardano network. Give one of the main network.');
  const type = header >> 4;
  if (type === 4 || type === 5)
    return invalid('This is a pointer address, which Cardano has retired. Give a current address from the wallet.');
  if (bytes.length !== LENGTH_OF_TYPE.get(type))
    return invalid('This is not a Cardano payment address. Copy the receiving address from the wallet.');
  return isReserved(bytes.subarray(1)) ? reservedAddress : undefined;
};
