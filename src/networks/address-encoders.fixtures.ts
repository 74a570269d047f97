import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base32nopad, base58, base58xrp, base64urlnopad, bech32, bech32m } from '@scure/base';
import { blake2b } from '@noble/hashes/blake2';
import { keccak_256 } from '@noble/hashes/sha3';
import { type NetworkName } from './names';

/**
 * Builds addresses from raw bytes, written from the chains' specifications and independently of the checks, so that a
 * mistake in a check is not repeated here.
 */
export type Encoder = Readonly<{ bytes: number; encode: (payload: Uint8Array) => string }>;

const bytesOf = (...parts: readonly (Uint8Array | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Uint8Array.from(part)));
const hash = (algorithm: string, data: Uint8Array): Buffer => createHash(algorithm).update(data).digest();
const doubleSha = (data: Uint8Array): Buffer => hash('sha256', hash('sha256', data));
const hex = (data: Uint8Array): string => Buffer.from(data).toString('hex');

/** The remainder of the message, taken as one long polynomial, divided by x^16 + x^12 + x^5 + 1. */
function crc16(data: Uint8Array): number {
  let rest = BigInt(`0x${hex(data)}0000`);
  for (let bit = data.length * 8 + 15; bit >= 16; bit--)
    if ((rest >> BigInt(bit)) & 1n) rest ^= 0x11021n << BigInt(bit - 16);
  return Number(rest);
}

const base58check = (prefix: readonly number[], payload: Uint8Array, codec = base58): string => {
  const body = bytesOf(prefix, payload);
  return codec.encode(bytesOf(body, doubleSha(body).subarray(0, 4)));
};

const segwit = (prefix: string, version: number, program: Uint8Array): string =>
  (version === 0 ? bech32 : bech32m).encode(prefix, [version, ...bech32.toWords(program)]);

export function strKey(version: number, payload: Uint8Array): string {
  const body = bytesOf([version], payload);
  const crc = crc16(body);
  return base32nopad.encode(bytesOf(body, [crc & 0xff, crc >> 8]));
}

export function ton(flags: number, workchain: number, account: Uint8Array): string {
  const body = bytesOf([flags, workchain], account);
  const crc = crc16(body);
  return base64urlnopad.encode(bytesOf(body, [crc >> 8, crc & 0xff]));
}

function eip55(account: Uint8Array): string {
  const digits = hex(account);
  const bits = keccak_256(Buffer.from(digits, 'ascii'));
  return `0x${[...digits].map((digit, i) => ((bits[i >> 1] ?? 0) & (i % 2 === 0 ? 0x80 : 0x08) ? digit.toUpperCase() : digit)).join('')}`;
}

export function ss58(network: number, key: Uint8Array): string {
  const body = bytesOf([network], key);
  return base58.encode(bytesOf(body, hash('blake2b512', bytesOf(Buffer.from('SS58PRE'), body)).subarray(0, 2)));
}

export function cashAddress(prefix: string, version: number, payload: Uint8Array): string {
  const alphabet = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
  const words = bech32.toWords(bytesOf([version], payload));
  const generators = ['98f2bc8e61', '79b76d99e2', 'f33e5fb3c4', 'ae2eabe2a8', '1e4f43e470'].map((g) =>
    BigInt(`0x${g}`),
  );
  const checksum = [...[...prefix].map((c) => c.charCodeAt(0) % 32), 0, ...words, 0, 0, 0, 0, 0, 0, 0, 0].reduce(
    (sum, word) =>
      generators.reduce(
        (next, generator, i) => ((sum >> BigInt(35 + i)) & 1n ? next ^ generator : next),
        ((sum % 2n ** 35n) * 32n) ^ BigInt(word),
      ),
    1n,
  );
  const tail = Array.from({ length: 8 }, (_, i) => Number(((checksum ^ 1n) >> BigInt(35 - 5 * i)) & 31n));
  return `${prefix}:${[...words, ...tail].map((word) => alphabet[word]).join('')}`;
}

function filecoin(start: string, protocol: readonly number[], payload: Uint8Array): string {
  const checksum = blake2b(bytesOf(protocol, payload), { dkLen: 4 });
  return start + base32nopad.encode(bytesOf(payload, checksum)).toLowerCase();
}

const withCrc32 = (payload: Uint8Array): Buffer => {
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(payload));
  return bytesOf(crc, payload);
};
const principal = (bytes: Uint8Array): string =>
  (
    base32nopad
      .encode(withCrc32(bytes))
      .toLowerCase()
      .match(/.{1,5}/g) ?? []
  ).join('-');

const one = (bytes: number, encode: Encoder['encode']): Encoder => ({ bytes, encode });
const stellar = [one(32, (p) => strKey(6 << 3, p))];
const evm = [one(20, eip55)];
const cardano = (header: number, bytes: number): Encoder =>
  one(bytes, (p) => bech32.encode('addr', bech32.toWords(bytesOf([header], p)), false));

/** Networks whose addresses have no checksum are left out: corruption cannot be detected there. */
export const encoders: Readonly<Partial<Record<NetworkName, readonly Encoder[]>>> = {
  stellar_public: stellar,
  stellar_testnet: stellar,
  ethereum_mainnet: evm,
  base_mainnet: evm,
  bitcoin_mainnet: [
    one(20, (p) => base58check([0x00], p)),
    one(20, (p) => base58check([0x05], p)),
    one(20, (p) => segwit('bc', 0, p)),
    one(32, (p) => segwit('bc', 0, p)),
    one(32, (p) => segwit('bc', 1, p)),
  ],
  litecoin_mainnet: [
    one(20, (p) => base58check([0x30], p)),
    one(20, (p) => base58check([0x32], p)),
    one(20, (p) => segwit('ltc', 0, p)),
    one(32, (p) => segwit('ltc', 1, p)),
  ],
  dogecoin_mainnet: [one(20, (p) => base58check([0x1e], p)), one(20, (p) => base58check([0x16], p))],
  bitcoin_cash_mainnet: [
    one(20, (p) => cashAddress('bitcoincash', 0, p)),
    one(20, (p) => cashAddress('bitcoincash', 8, p)),
    one(32, (p) => cashAddress('bitcoincash', 11, p)),
    one(20, (p) => cashAddress('bitcoincash', 0, p).slice('bitcoincash:'.length)),
  ],
  xrpl_mainnet: [one(20, (p) => base58check([0x00], p, base58xrp))],
  ton_mainnet: [one(32, (p) => ton(0x11, 0, p)), one(32, (p) => ton(0x51, 0, p)), one(32, (p) => ton(0x11, 0xff, p))],
  cardano_mainnet: [
    cardano(0x01, 56),
    cardano(0x11, 56),
    cardano(0x21, 56),
    cardano(0x31, 56),
    cardano(0x61, 28),
    cardano(0x71, 28),
  ],
  cosmos_hub: [
    one(20, (p) => bech32.encode('cosmos', bech32.toWords(p))),
    one(32, (p) => bech32.encode('cosmos', bech32.toWords(p))),
  ],
  polkadot_mainnet: [one(32, (p) => ss58(0, p))],
  algorand_mainnet: [one(32, (p) => base32nopad.encode(bytesOf(p, hash('sha512-256', p).subarray(-4))))],
  tezos_mainnet: [
    one(20, (p) => base58check([0x06, 0xa1, 0x9f], p)),
    one(20, (p) => base58check([0x06, 0xa1, 0xa1], p)),
    one(20, (p) => base58check([0x06, 0xa1, 0xa4], p)),
    one(20, (p) => base58check([0x06, 0xa1, 0xa6], p)),
    one(20, (p) => base58check([0x02, 0x5a, 0x79], p)),
  ],
  internet_computer: [one(28, (p) => hex(withCrc32(p))), one(28, (p) => principal(bytesOf(p, [0x02])))],
  filecoin_mainnet: [
    one(20, (p) => filecoin('f1', [1], p)),
    one(20, (p) => filecoin('f2', [2], p)),
    one(48, (p) => filecoin('f3', [3], p)),
    one(20, (p) => filecoin('f410f', [4, 10], p)),
  ],
};

/** The testnet forms of the same payload. */
export const testnetEncoders: Readonly<Partial<Record<NetworkName, readonly Encoder[]>>> = {
  bitcoin_mainnet: [
    one(20, (p) => base58check([0x6f], p)),
    one(20, (p) => base58check([0xc4], p)),
    one(20, (p) => segwit('tb', 0, p)),
    one(32, (p) => segwit('bcrt', 1, p)),
  ],
  litecoin_mainnet: [one(20, (p) => base58check([0x3a], p)), one(20, (p) => segwit('tltc', 0, p))],
  dogecoin_mainnet: [one(20, (p) => base58check([0x71], p))],
  bitcoin_cash_mainnet: [
    one(20, (p) => cashAddress('bchtest', 0, p)),
    one(20, (p) => cashAddress('bchreg', 8, p)),
    one(20, (p) => cashAddress('bchtest', 0, p).slice('bchtest:'.length)),
  ],
  ton_mainnet: [one(32, (p) => ton(0x91, 0, p)), one(32, (p) => ton(0xd1, 0, p))],
  cardano_mainnet: [
    one(28, (p) => bech32.encode('addr_test', bech32.toWords(bytesOf([0x60], p)), false)),
    one(28, (p) => bech32.encode('addr', bech32.toWords(bytesOf([0x60], p)), false)),
  ],
  filecoin_mainnet: [one(20, (p) => filecoin('t1', [1], p)), one(20, (p) => filecoin('t410f', [4, 10], p))],
};

/** Secrets made up from the given bytes: none of them ever held funds. */
export const secretEncoders: readonly Encoder[] = [
  one(32, (p) => strKey(18 << 3, p)),
  one(16, (p) => base58check([0x21], p, base58xrp)),
  one(16, (p) => base58check([0x01, 0xe1, 0x4b], p, base58xrp)),
  one(32, (p) => base58check([0x80], p)),
  one(32, (p) => base58check([0x80], bytesOf(p, [1]))),
  one(32, (p) => base58check([0xb0], bytesOf(p, [1]))),
  one(32, (p) => base58check([0x9e], bytesOf(p, [1]))),
  one(32, (p) => base58check([0x0d, 0x0f, 0x3a, 0x07], p)),
  one(64, (p) => base58check([0x2b, 0xf6, 0x4e, 0x07], p)),
  one(64, (p) => `[${[...p].join(',')}]`),
  one(33, (p) => bech32.encode('suiprivkey', bech32.toWords(p))),
  one(32, (p) => bech32.encode('addr_sk', bech32.toWords(p), false)),
];

/** Intact, but not payable: other versions, kinds, lengths and chains. */
export const unpayableEncoders: Readonly<Partial<Record<NetworkName, readonly Encoder[]>>> = {
  stellar_public: [
    one(32, (p) => strKey(2 << 3, p)),
    one(40, (p) => strKey(12 << 3, p)),
    one(32, (p) => strKey(23 << 3, p)),
  ],
  bitcoin_mainnet: [
    one(20, (p) => segwit('bc1', 0, p)),
    one(2, (p) => segwit('bc', 1, p)),
    one(32, (p) => segwit('bc', 2, p)),
    one(20, (p) => base58check([0x1e], p)),
  ],
  litecoin_mainnet: [one(20, (p) => base58check([0x05], p)), one(20, (p) => segwit('bc', 0, p))],
  dogecoin_mainnet: [one(20, (p) => base58check([0x05], p)), one(20, (p) => base58check([0x30], p))],
  bitcoin_cash_mainnet: [
    one(20, (p) => cashAddress('bitcoincash', 16, p)),
    one(32, (p) => cashAddress('bitcoincash', 27, p)),
    one(20, (p) => cashAddress('bitcoincash', 11, p)),
    one(20, (p) => cashAddress('ecash', 0, p)),
    one(20, (p) => base58check([0x05], p)),
  ],
  xrpl_mainnet: [one(20, (p) => base58check([0x00], p)), one(22, (p) => base58check([0x00], p, base58xrp))],
  ton_mainnet: [one(32, (p) => ton(0x11, 1, p)), one(32, (p) => ton(0x12, 0, p))],
  cardano_mainnet: [cardano(0x41, 31), cardano(0x61, 56), cardano(0x01, 28), cardano(0xe1, 28), cardano(0x81, 28)],
  cosmos_hub: [
    one(24, (p) => bech32.encode('cosmos', bech32.toWords(p))),
    one(20, (p) => bech32m.encode('cosmos', bech32.toWords(p))),
    one(20, (p) => bech32.encode('osmo', bech32.toWords(p))),
  ],
  polkadot_mainnet: [one(32, (p) => ss58(2, p)), one(32, (p) => ss58(42, p)), one(33, (p) => ss58(0x7a, p))],
  tezos_mainnet: [
    one(20, (p) => base58check([0x06, 0xa1, 0xa2], p)),
    one(32, (p) => base58check([0x0d, 0x0f, 0x25, 0xd9], p)),
  ],
  internet_computer: [
    one(28, (p) => principal(bytesOf(p, [0x03]))),
    one(9, (p) => principal(bytesOf(p, [0x07]))),
    one(20, (p) => hex(withCrc32(p))),
  ],
  filecoin_mainnet: [
    one(20, (p) => filecoin('f1', [2], p)),
    one(20, (p) => filecoin('f420f', [4, 20], p)),
    one(32, (p) => filecoin('f1', [1], p)),
  ],
};
