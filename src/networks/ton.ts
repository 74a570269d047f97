import { base64nopad, base64urlnopad } from '@scure/base';
import { attempt, crc16, isReserved } from './codecs';
import { type AddressCheck } from './network';
import { checksumMismatch, invalid, reservedAddress, testnetForm } from './problems';

const BOUNCEABLE = 0x11;
const NON_BOUNCEABLE = 0x51;
const TEST_ONLY = 0x80;
const MASTERCHAIN = 0xff;

/** Only the user-friendly form: the raw `0:…` form has neither a checksum nor the flag that marks test addresses. */
export const tonAddress: AddressCheck = (address) => {
  if (/^-?\d+:[0-9a-fA-F]{64}$/.test(address))
    return invalid(
      'This is the raw form, which has no checksum. Give the 48-character form that starts with UQ or EQ.',
    );
  const decode = /^[\w-]{48}$/.test(address)
    ? () => base64urlnopad.decode(address)
    : /^[A-Za-z0-9+/]{48}$/.test(address)
      ? () => base64nopad.decode(address)
      : undefined;
  const bytes = decode && attempt(decode);
  if (bytes?.length !== 36)
    return invalid('A TON address has 48 characters and usually starts with UQ or EQ. Copy it from the wallet.');
  const crc = ((bytes[34] ?? 0) << 8) | (bytes[35] ?? 0);
  if (crc16(bytes.subarray(0, 34)) !== crc) return checksumMismatch;
  const [flags = 0, workchain = 0] = bytes;
  if (flags & TEST_ONLY) return testnetForm('This TON address is marked for the test network. Give the mainnet form.');
  if (flags !== BOUNCEABLE && flags !== NON_BOUNCEABLE)
    return invalid('This is not the address of a TON account. Copy the receiving address from the wallet.');
  if (workchain !== 0 && workchain !== MASTERCHAIN)
    return invalid('This TON address names a workchain that does not exist. Copy it again from the wallet.');
  return isReserved(bytes.subarray(2, 34)) ? reservedAddress : undefined;
};
