import { base58 } from '@scure/base';
import fc from 'fast-check';
import { anyCharacter } from '../../test/support/any-character';
import {
  type Encoder,
  cashAddress,
  encoders,
  secretEncoders,
  testnetEncoders,
  unpayableEncoders,
} from './address-encoders.fixtures';
import { hederaChecksum } from './hedera';
import { type NetworkName, networkNamed, networks } from './index';
import { starknetChecksum } from './starknet';
import { vectors } from './vectors.fixtures';

const CHARACTERS = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];

const check = (name: NetworkName, address: string) => networkNamed(name)?.checkAddress(address);
const exchange = (text: string, index: number, character: string): string =>
  text.slice(0, index) + character + text.slice(index + 1);
/** Zeros at the start are left out: such payloads are refused as reserved. */
const payloadOf = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).filter(([first]) => first !== 0);
const madeBy = (ways: readonly Encoder[] = []) =>
  fc.constantFrom(...ways).chain(({ bytes, encode }) => payloadOf(bytes).map((payload) => encode(payload)));

describe.each(networks.map(({ name }) => name))('addresses on %s', (name) => {
  const { good, unprotected = [], bad } = vectors[name];

  it('are accepted in the spellings the chain documents', () => {
    expect(good.length + unprotected.length).toBeGreaterThanOrEqual(3);
    for (const address of [...good, ...unprotected])
      expect([address, check(name, address)]).toEqual([address, undefined]);
  });

  it('are refused for the reason that helps', () => {
    expect(Object.keys(bad).length).toBeGreaterThanOrEqual(3);
    expect(Object.fromEntries(Object.keys(bad).map((address) => [address, check(name, address)?.code]))).toEqual(bad);
  });

  it('never throw, whatever is sent', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: anyCharacter }),
          fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 150 }),
        ),
        (text) => {
          expect(check(name, text)?.code ?? 'accepted').toEqual(expect.any(String));
        },
      ),
    );
  });

  it('are refused with anything around them', () => {
    for (const address of [...good, ...unprotected])
      for (const padded of [` ${address}`, `${address} `, `${address}\n`, `${address}\u200b`, `${address}\0`])
        expect(check(name, padded)?.code).toBe('invalid_address');
  });

  it('come with messages that never repeat what was sent', () => {
    for (const address of Object.keys(bad).filter((text) => text.length > 8))
      expect(check(name, address)?.message).not.toContain(address);
  });
});

const protectedNetworks = networks.map(({ name }) => name).filter((name) => vectors[name].good.length > 0);

it('leaves only the chains without any checksum unprotected', () => {
  const rest = networks.map(({ name }) => name).filter((name) => !protectedNetworks.includes(name));
  expect(rest).toEqual(['solana_mainnet', 'sui_mainnet', 'aptos_mainnet']);
});

describe.each(protectedNetworks)('a checksum on %s', (name) => {
  // The vectors are fixed: even where a checksum is short (EIP-55, SS58) no single exchange in them goes unnoticed.
  it('notices any one exchanged character', () => {
    const damaged = fc
      .tuple(fc.constantFrom(...vectors[name].good), fc.nat(), fc.constantFrom(...CHARACTERS))
      .map(([address, at, character]) => ({ address, damaged: exchange(address, at % address.length, character) }))
      .filter(({ address, damaged: text }) => text !== address);
    fc.assert(
      fc.property(damaged, ({ damaged: text }) => {
        expect(check(name, text)).toBeDefined();
      }),
      { numRuns: 250 },
    );
  });
});

describe.each(Object.keys(encoders) as NetworkName[])('made-up addresses on %s', (name) => {
  const made = madeBy(encoders[name]);

  it('are accepted whole', () => {
    fc.assert(
      fc.property(made, (address) => {
        expect(check(name, address)).toBeUndefined();
      }),
    );
  });

  it('are refused when they are made of nothing', () => {
    for (const { bytes, encode } of encoders[name] ?? [])
      expect(check(name, encode(new Uint8Array(bytes)))?.code).toBe('unusable_address');
  });

  // The last character is part of the checksum or covered by it. In EIP-55 it is the letters' case that is.
  const damage = (address: string, character: string): string => {
    if (!address.startsWith('0x')) return exchange(address, address.length - 1, character);
    const letter = address.search(/[a-fA-F]/);
    const old = address.charAt(letter);
    return exchange(address, letter, old === old.toLowerCase() ? old.toUpperCase() : old.toLowerCase());
  };

  it('are refused damaged', () => {
    fc.assert(
      fc.property(made, fc.constantFrom(...CHARACTERS), (address, character) => {
        const damaged = damage(address, character);
        fc.pre(damaged !== address);
        // In one case an EVM address carries no checksum, and is taken.
        fc.pre(!/^0x(?:[0-9a-f]{40}|[0-9A-F]{40})$/.test(damaged));
        expect(check(name, damaged)).toBeDefined();
      }),
    );
  });
});

describe.each(Object.keys(testnetEncoders) as NetworkName[])('testnet forms on %s', (name) => {
  it('are refused by name', () => {
    fc.assert(
      fc.property(madeBy(testnetEncoders[name]), (address) => {
        expect(check(name, address)?.code).toBe('testnet_address');
      }),
    );
  });
});

describe.each(Object.keys(unpayableEncoders) as NetworkName[])(
  'whole words that are no payment address on %s',
  (name) => {
    it('are refused', () => {
      fc.assert(
        fc.property(madeBy(unpayableEncoders[name]), (address) => {
          expect(check(name, address)).toBeDefined();
        }),
      );
    });
  },
);

it('takes a key pair on Solana for the secret it is', () => {
  fc.assert(
    fc.property(payloadOf(64), (pair) => {
      expect(check('solana_mainnet', base58.encode(pair))?.code).toBe('secret_not_accepted');
    }),
  );
});

it.each<[NetworkName, string, RegExp]>([
  ['stellar_testnet', 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ', /muxed.*G…/],
  ['stellar_testnet', 'CA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUWDA', /contract.*G…/],
  ['stellar_testnet', 'jed*stellar.org', /federation/],
  ['xrpl_mainnet', 'X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ', /X-address.*tag as memo/],
  ['ton_mainnet', '0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e', /raw form/],
  ['cardano_mainnet', 'Ae2tdPwUPEZFSi1cTyL1ZL6bgixhc2vSy5heg6Zg9uP7PpumkAJ82Qprt8b', /Byron/],
  ['filecoin_mainnet', 'f01024', /no checksum/],
  ['litecoin_mainnet', '342ftSRCvFHfCeFFBuz4xwbeqnDw6BGUey', /starts with M or ltc1/],
  ['bitcoin_cash_mainnet', '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu', /looks the same on Bitcoin/],
  ['bitcoin_cash_mainnet', cashAddress('bitcoincash', 16, new Uint8Array(20).fill(7)), /token-aware/],
])('on %s tells what to give instead of %s', (name, address, hint) => {
  expect(check(name, address)?.message).toMatch(hint);
});

it('refuses what is too long before it decodes it', () => {
  for (const { name } of networks) expect(check(name, 'z'.repeat(60_000))?.message).toContain('too long');
});

it('refuses pasted secrets on every network, by name and without repeating them', () => {
  fc.assert(
    fc.property(madeBy(secretEncoders), fc.constantFrom(...networks), (text, network) => {
      const problem = network.checkAddress(text);
      expect(problem?.code).toBe('secret_not_accepted');
      expect(problem?.message).not.toContain(text);
    }),
  );
});

it('gives Hedera accounts the checksums of the standard', () => {
  const ofMainnet = ['0.0.1-dfkxr', '0.0.4-cjcuq', '0.0.5-ktach', '0.0.6-tcxjy', '0.0.12-uuuup', '12.345.6789-aoyyt'];
  for (const written of ofMainnet) {
    const [account = '', checksum] = written.split('-');
    expect(hederaChecksum(account, 0)).toBe(checksum);
  }
});

it('spells Starknet addresses with their checksum', () => {
  const [first = ''] = vectors.starknet_mainnet.good;
  expect(starknetChecksum(first.toLowerCase())).toBe(first);
});
