import { bech32, utils } from '@scure/base';
import { attempt, decodeBase58Check, isReserved } from './codecs';
import { type AddressCheck } from './network';
import { checksumMismatch, invalid, reservedAddress, testnetForm } from './problems';

const MAINNET = 'bitcoincash';
const TEST_NETWORKS: readonly string[] = ['bchtest', 'bchreg'];
const symbols = utils.chain(utils.alphabet('qpzry9x8gf2tvdw0s3jn54khce6mua7l'), utils.join(''));

/** Version byte to hash length: pay to key, pay to script, pay to a script with the longer hash. */
const LENGTH_OF_VERSION: ReadonlyMap<number, number> = new Map([
  [0, 20],
  [8, 20],
  [11, 32],
]);
const TOKEN_AWARE_VERSIONS: readonly number[] = [16, 24, 27];

const GENERATORS = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n];

/** The BCH code over the prefix and the payload; it is zero exactly when the address is intact. */
function polymod(prefix: string, payload: readonly number[]): bigint {
  let sum = 1n;
  for (const value of [...Array.from(prefix, (letter) => letter.charCodeAt(0) & 0x1f), 0, ...payload]) {
    const top = sum >> 35n;
    sum = ((sum & 0x07ffffffffn) << 5n) ^ BigInt(value);
    GENERATORS.forEach((generator, bit) => {
      if ((top >> BigInt(bit)) & 1n) sum ^= generator;
    });
  }
  return sum ^ 1n;
}

const wrongNetwork = testnetForm(
  'This address belongs to a Bitcoin Cash test network. Give one that starts with bitcoincash:.',
);

/** The prefix may be omitted, as wallets do; it is part of the checksum, so the network is known anyway. */
export const bitcoinCashAddress: AddressCheck = (address) => {
  const version = decodeBase58Check(address)?.[0];
  if (version === 0x00 || version === 0x05)
    return invalid('This old form looks the same on Bitcoin. Give the form that starts with bitcoincash: instead.');
  const uniform = address === address.toLowerCase() || address === address.toUpperCase();
  const [payload = '', given, ...rest] = address.toLowerCase().split(':').reverse();
  if (given !== undefined && TEST_NETWORKS.includes(given)) return wrongNetwork;
  const words = attempt(() => symbols.decode(payload));
  if (!uniform || rest.length > 0 || (given ?? MAINNET) !== MAINNET || !words || words.length < 42 || words.length > 61)
    return invalid(
      'A Bitcoin Cash address looks like bitcoincash:q… and is all small letters. Copy it from the wallet.',
    );
  if (polymod(MAINNET, words) !== 0n)
    return given === undefined && TEST_NETWORKS.some((prefix) => polymod(prefix, words) === 0n)
      ? wrongNetwork
      : checksumMismatch;
  const bytes = attempt(() => bech32.fromWords(words.slice(0, -8)));
  const kind = bytes?.[0];
  if (!bytes || kind === undefined) return checksumMismatch;
  if (TOKEN_AWARE_VERSIONS.includes(kind))
    return invalid('This is a token-aware address. Give the plain form, whose first letter after the colon is q or p.');
  if (bytes.length - 1 !== LENGTH_OF_VERSION.get(kind))
    return invalid('This is not a Bitcoin Cash payment address. Copy the receiving address from the wallet.');
  return isReserved(bytes.subarray(1)) ? reservedAddress : undefined;
};
