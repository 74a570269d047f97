import { bech32 } from '@scure/base';
import { attempt, isReserved } from './codecs';
import { type AddressCheck } from './network';
import { checksumMismatch, invalid, reservedAddress } from './problems';

/** Accounts have 20 bytes, modules and interchain accounts 32; both can be paid. */
export const cosmosAddress: AddressCheck = (address) => {
  if (/^cosmos(?:valoper|valcons)(?:pub)?1/.test(address))
    return invalid('This is a validator address. Give the account address, which starts with cosmos1.');
  if (!/^cosmos1[02-9ac-hj-np-z]{38,58}$/.test(address))
    return invalid(
      'A Cosmos Hub address starts with cosmos1 and is written in small letters. Copy it from the wallet.',
    );
  const decoded = bech32.decodeUnsafe(address);
  if (!decoded) return checksumMismatch;
  const payload = attempt(() => bech32.fromWords(decoded.words));
  if (decoded.prefix !== 'cosmos' || (payload?.length !== 20 && payload?.length !== 32))
    return invalid('This is not the address of a Cosmos Hub account. Copy the receiving address from the wallet.');
  return isReserved(payload) ? reservedAddress : undefined;
};
