import { hexToBytes } from '@noble/hashes/utils';
import { isReserved } from './codecs';
import { type AddressCheck } from './network';
import { invalid, reservedAddress } from './problems';

/**
 * Sui and Aptos: 32 bytes in hexadecimal, without a checksum. Both chains also allow leading zeros to be omitted; here
 * the full length is required, because a shortened address looks just like a truncated one.
 */
const moveAddress =
  (chain: string): AddressCheck =>
  (address) => {
    if (!/^0x[0-9a-f]{64}$/.test(address))
      return invalid(`Write the ${chain} address as 0x and all 64 small hexadecimal digits, leading zeros included.`);
    return isReserved(hexToBytes(address.slice(2))) ? reservedAddress : undefined;
  };

export const suiAddress = moveAddress('Sui');
export const aptosAddress = moveAddress('Aptos');
