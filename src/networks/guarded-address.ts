import { type AddressCheck } from './network';
import { looksLikeHexKey, looksLikeSecret } from './pasted-secrets';
import { invalid, secretPasted } from './problems';

/** Longer than any address, short enough that base58, whose decoding grows with the square, stays cheap. */
const LONGEST_ADDRESS = 128;

/**
 * What holds on every chain comes before the chain's own check. `hexIsAddress` is for chains whose addresses are 32
 * bytes in hexadecimal, which is also what private keys look like.
 */
export const guardedAddress =
  (check: AddressCheck, { hexIsAddress = false } = {}): AddressCheck =>
  (address) => {
    if (address === '') return invalid('This is empty. Give a value, or leave the field out.');
    if (looksLikeSecret(address) || (!hexIsAddress && looksLikeHexKey(address))) return secretPasted;
    if (!/^[\x21-\x7e]+$/.test(address))
      return invalid('There is a space or a character that no address has. Copy it again, with nothing around it.');
    if (address.length > LONGEST_ADDRESS)
      return invalid('This is too long for an address. Copy it again from the wallet.');
    return check(address);
  };
