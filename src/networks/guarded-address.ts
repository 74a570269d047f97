import { type AddressCheck } from './network';
import { looksLikeHexKey, looksLikeSecret } from './pasted-secrets';
import { invalid, secretPasted } from './problems';

/** Longer than any address, yet short enough to keep base58 cheap, whose decoding is quadratic. */
const MAX_ADDRESS_LENGTH = 128;

/**
 * Checks that apply to every chain run before the chain's own. `hexIsAddress` is for chains whose addresses are 32
 * bytes in hexadecimal, which is also what private keys look like.
 */
export const guardedAddress =
  (check: AddressCheck, { hexIsAddress = false } = {}): AddressCheck =>
  (address) => {
    if (address === '') return invalid('This is empty. Give a value, or leave the field out.');
    if (looksLikeSecret(address) || (!hexIsAddress && looksLikeHexKey(address))) return secretPasted;
    if (!/^[\x21-\x7e]+$/.test(address))
      return invalid('There is a space or a character that no address has. Copy it again, with nothing around it.');
    if (address.length > MAX_ADDRESS_LENGTH)
      return invalid('This is too long for an address. Copy it again from the wallet.');
    return check(address);
  };
