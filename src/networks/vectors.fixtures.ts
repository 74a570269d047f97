import { bitcoinLikeVectors } from './bitcoin-like-vectors.fixtures';
import { type NetworkName } from './names';
import { otherChainVectors } from './other-chain-vectors.fixtures';

export type Vectors = Readonly<{
  /** Accepted, and protected by a checksum: changing one character gets them refused. */
  good: readonly string[];
  /** Accepted, but in a spelling or on a chain with no checksum, or only a weak one. */
  unprotected?: readonly string[];
  bad: Readonly<Record<string, string>>;
}>;

/** The examples of EIP-55, among them one in upper case only because its checksum says so. */
const evm: Vectors = {
  good: [
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ],
  unprotected: [
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
    '0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED',
    '0X5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED',
  ],
  bad: {
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD': 'checksum_mismatch',
    '0x5Aaeb6053f3e94c9b9a09f33669435e7ef1beaed': 'checksum_mismatch',
    '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee': 'unusable_address',
    '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed': 'invalid_address',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe': 'invalid_address',
    '0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed': 'invalid_address',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed ': 'invalid_address',
    'vitalik.eth': 'invalid_address',
    '0x0000000000000000000000000000000000000000': 'unusable_address',
    '0x000000000000000000000000000000000000dEaD': 'unusable_address',
    '0x000000000000000000000000000000000000dead': 'unusable_address',
    '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE': 'unusable_address',
    '0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318': 'secret_not_accepted',
  },
};

/** From SEP-23, with accounts from the public documentation. */
const stellar: Vectors = {
  good: [
    'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
    'GBH4TZYZ4IRCPO44CBOLFUHULU2WGALXTAVESQA6432MBJMABBB4GIYI',
    'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
  ],
  bad: {
    GAAAAAAAACGC6: 'invalid_address',
    GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZA: 'invalid_address',
    GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUACUSI: 'invalid_address',
    G47QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVP2I: 'checksum_mismatch',
    GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGA: 'checksum_mismatch',
    ga7qynf7sowq3glr2bgmzehxavirza4kvwltjjfc7mgxua74p7ujvsgz: 'invalid_address',
    MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ: 'invalid_address',
    CA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUWDA: 'invalid_address',
    LA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUPJN: 'invalid_address',
    'jed*stellar.org': 'invalid_address',
    GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF: 'unusable_address',
    SA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUVSG: 'secret_not_accepted',
    'legal winner thank year wave sausage worth useful legal winner thank yellow': 'secret_not_accepted',
  },
};

export const vectors: Readonly<Record<NetworkName, Vectors>> = {
  ...bitcoinLikeVectors,
  ...otherChainVectors,
  stellar_public: stellar,
  stellar_testnet: stellar,
  ethereum_mainnet: evm,
  base_mainnet: evm,
  bsc_mainnet: evm,
  arbitrum_one: evm,
  polygon_pos: evm,
  avalanche_c_chain: evm,
  optimism_mainnet: evm,
  cronos_mainnet: evm,
  mantle_mainnet: evm,
  zksync_era: evm,
  linea_mainnet: evm,
};
