import { bech32, bech32m } from '@scure/base';
import { attempt, decodeBase58Check, isReserved } from './codecs';
import { type AddressCheck } from './network';
import { type Problem, checksumMismatch, invalid, reservedAddress, testnetForm } from './problems';

type Coin = Readonly<{
  title: string;
  expected: string;
  /** Human-readable part of segwit addresses, if the coin has them. */
  segwit?: string;
  testnetPrefixes: readonly string[];
  versions: readonly number[];
  testnetVersions: readonly number[];
  /** Version bytes that another coin uses as well, with the form to give instead. */
  ambiguous?: Readonly<Record<number, string>>;
  refusedPrefixes?: Readonly<Record<string, string>>;
}>;

const bitcoinLike =
  (coin: Coin): AddressCheck =>
  (address) => {
    // A checksum that fits says more than the first letters: DGuB or LTC1 may be those of an ordinary address.
    if (isBase58Address(address)) return base58Problem(address, coin);
    const lower = address.toLowerCase();
    if (coin.segwit !== undefined && lower.startsWith(`${coin.segwit}1`)) return segwitProblem(address, coin.segwit);
    if (coin.testnetPrefixes.some((prefix) => lower.startsWith(prefix))) return testnetAddress(coin);
    for (const [prefix, message] of Object.entries(coin.refusedPrefixes ?? {}))
      if (lower.startsWith(prefix)) return invalid(message);
    return base58Problem(address, coin);
  };

const testnetAddress = (coin: Coin): Problem =>
  testnetForm(`This address belongs to a ${coin.title} test network. ${coin.expected}`);

function segwitProblem(address: string, prefix: string): Problem | undefined {
  // Version 0 is bech32 and every later one bech32m; any other combination is a corrupted address.
  const v0 = bech32.decodeUnsafe(address);
  const later = bech32m.decodeUnsafe(address);
  const decoded = v0 ?? later;
  const version = decoded?.words[0];
  if (!decoded || decoded.prefix !== prefix || version === undefined || (version === 0) !== (v0 !== undefined))
    return checksumMismatch;
  const program = attempt(() => bech32.fromWords(decoded.words.slice(1)));
  if (!program) return checksumMismatch;
  if (version > 1)
    return invalid('Nobody can spend from this segwit version yet. Give an address the wallet offers for receiving.');
  const lengths = version === 0 ? [20, 32] : [32];
  if (!lengths.includes(program.length)) return invalid('This segwit address has a wrong length. Copy it again.');
  return isReserved(program) ? reservedAddress : undefined;
}

const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{25,36}$/;

const isBase58Address = (address: string): boolean => BASE58.test(address) && decodeBase58Check(address)?.length === 21;

function base58Problem(address: string, coin: Coin): Problem | undefined {
  if (!BASE58.test(address)) return invalid(coin.expected);
  const bytes = decodeBase58Check(address);
  if (!bytes) return checksumMismatch;
  const version = bytes[0];
  if (bytes.length !== 21 || version === undefined) return invalid(coin.expected);
  if (coin.testnetVersions.includes(version)) return testnetAddress(coin);
  const ambiguous = coin.ambiguous?.[version];
  if (ambiguous !== undefined) return invalid(ambiguous);
  if (!coin.versions.includes(version)) return invalid(`This address belongs to another coin. ${coin.expected}`);
  return isReserved(bytes.subarray(1)) ? reservedAddress : undefined;
}

const PUBLIC_KEY = 'This is an extended public key, from which every address of the wallet follows. Give one address.';
const extendedPublicKeys = { xpub: PUBLIC_KEY, ypub: PUBLIC_KEY, zpub: PUBLIC_KEY };

export const bitcoinAddress = bitcoinLike({
  title: 'Bitcoin',
  expected: 'A Bitcoin address starts with bc1, 1 or 3. Copy it from the wallet.',
  segwit: 'bc',
  testnetPrefixes: ['tb1', 'bcrt1'],
  versions: [0x00, 0x05],
  testnetVersions: [0x6f, 0xc4],
  refusedPrefixes: extendedPublicKeys,
});

export const litecoinAddress = bitcoinLike({
  title: 'Litecoin',
  expected: 'A Litecoin address starts with ltc1, L or M. Copy it from the wallet.',
  segwit: 'ltc',
  testnetPrefixes: ['tltc1', 'rltc1'],
  versions: [0x30, 0x32],
  testnetVersions: [0x6f, 0xc4, 0x3a],
  ambiguous: { 0x05: 'Addresses that start with 3 may be Bitcoin’s. Give the form that starts with M or ltc1.' },
  refusedPrefixes: {
    ...extendedPublicKeys,
    ltub: PUBLIC_KEY,
    mtub: PUBLIC_KEY,
    ltcmweb1:
      'This is a MimbleWimble address, which ordinary payments cannot reach. Give one that starts with ltc1, L or M.',
  },
});

export const dogecoinAddress = bitcoinLike({
  title: 'Dogecoin',
  expected: 'A Dogecoin address starts with D, A or 9. Copy it from the wallet.',
  testnetPrefixes: [],
  versions: [0x1e, 0x16],
  testnetVersions: [0x71, 0xc4, 0x6f],
  refusedPrefixes: { ...extendedPublicKeys, dgub: PUBLIC_KEY },
});
