import { crc32 } from 'node:zlib';
import { base32nopad } from '@scure/base';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils';
import { attempt, isReserved } from './codecs';
import { type AddressCheck } from './network';
import { checksumMismatch, invalid, reservedAddress } from './problems';

const SELF_AUTHENTICATING = 0x02;
const OPAQUE = 0x01;

/** Both forms start with a CRC-32 over the rest. */
const holdsCrc = (bytes: Uint8Array): boolean =>
  bytesToHex(bytes.subarray(0, 4)) === crc32(bytes.subarray(4)).toString(16).padStart(8, '0');

/** The ledger identifies accounts by identifier, and newer transfers name the owner's principal: both are accepted. */
export const internetComputerAddress: AddressCheck = (address) => {
  if (/^[0-9a-f]{64}$/.test(address)) {
    const bytes = hexToBytes(address);
    if (!holdsCrc(bytes)) return checksumMismatch;
    return isReserved(bytes.subarray(4)) ? reservedAddress : undefined;
  }
  if (!/^[a-z2-7]{5}(?:-[a-z2-7]{1,5})+$/.test(address))
    return invalid(
      'Give an ICP account identifier (64 small hexadecimal digits) or a principal (groups of five with dashes). ' +
        'Copy it from the wallet.',
    );
  return principalProblem(address);
};

function principalProblem(address: string) {
  const bytes = attempt(() => base32nopad.decode(address.replaceAll('-', '').toUpperCase()));
  if (!bytes || bytes.length < 4 || !holdsCrc(bytes)) return checksumMismatch;
  const grouped = base32nopad
    .encode(bytes)
    .toLowerCase()
    .match(/.{1,5}/g)
    ?.join('-');
  if (grouped !== address)
    return invalid('A principal is written in groups of five characters. Copy it from the wallet.');
  const principal = bytes.subarray(4);
  const kind = principal.at(-1);
  const isUser = principal.length === 29 && kind === SELF_AUTHENTICATING && !isReserved(principal);
  const isCanister = principal.length === 10 && kind === OPAQUE;
  // What remains are the management canister, the anonymous caller and reserved kinds: nobody can spend from those.
  return isUser || isCanister ? undefined : reservedAddress;
}
