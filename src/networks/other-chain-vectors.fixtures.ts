import { type Vectors } from './vectors.fixtures';

export const otherChainVectors = {
  solana_mainnet: {
    good: [],
    unprotected: [
      'Ho87cuS3aSRgUMCeMrV7uNCCWx6Fj2ytnufYQ1W7KCLr',
      'CSKgzVRhq6PKFUtiEFtWdTYhQTd12ohN3fc6yjxYnwHL',
      '2ArTMmGV5ZorDoyYRKkjziBHq4vpngFD8yi9PjzZkuMK',
    ],
    bad: {
      Ho87cuS3aSRgUMCeMrV7uNCCWx6Fj2ytnufYQ1W7: 'invalid_address',
      Ho87cuS3aSRgUMCeMrV7uNCCWx6Fj2ytnufYQ1W7KC0r: 'invalid_address',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed': 'invalid_address',
      '11111111111111111111111111111111': 'unusable_address',
      '1nc1nerator11111111111111111111111111111111': 'unusable_address',
      SysvarRent111111111111111111111111111111111: 'unusable_address',
      So11111111111111111111111111111111111111112: 'unusable_address',
      TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: 'unusable_address',
    },
  },
  xrpl_mainnet: {
    good: [
      'r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59',
      'rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf',
      'r3SVzk8ApofDJuVBPKdmbbLjWGCCXpBQ2g',
      'rLczgQHxPhWtjkaQqn3Q6UM8AbRbbRvs5K',
    ],
    bad: {
      r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk58: 'checksum_mismatch',
      X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ: 'invalid_address',
      T719a5UwUCnEs54UsxG9CJYYDhwmFCqkr7wxCcNcfZ6p5GZ: 'testnet_address',
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa': 'invalid_address',
      rrrrrrrrrrrrrrrrrrrrrhoLvTp: 'unusable_address',
      rrrrrrrrrrrrrrrrrrrrBZbvji: 'unusable_address',
      snoPBrXtMeMyMHUVTgbuqAfg1SUTb: 'secret_not_accepted',
      sEdTM1uX8pu2do5XvTnutH6HsouMaM2: 'secret_not_accepted',
    },
  },
  sui_mainnet: {
    good: [],
    unprotected: [
      '0x6fdcc2f897040a34c33e1064fda3edab9148b78148300cd7a33d137b1e006ca4',
      '0x494312728a1904dc6571d8ca59577a15c5da5c95448ee667cda69bf2194b8e52',
      '0x0540be51f34e9fe1e153d754b84e63118c30083e480b5de1bc05beb16148a3cc',
    ],
    bad: {
      '0x540be51f34e9fe1e153d754b84e63118c30083e480b5de1bc05beb16148a3cc': 'invalid_address',
      '0x6FDCC2F897040A34C33E1064FDA3EDAB9148B78148300CD7A33D137B1E006CA4': 'invalid_address',
      '6fdcc2f897040a34c33e1064fda3edab9148b78148300cd7a33d137b1e006ca4': 'invalid_address',
      '0x0000000000000000000000000000000000000000000000000000000000000002': 'unusable_address',
      suiprivkey1qzwant3kaegmjy4qxex93s0jzvemekkjmyv3r2sjwgnv2y479pgsywhveae: 'secret_not_accepted',
    },
  },
  aptos_mainnet: {
    good: [],
    unprotected: [
      '0xf39c7ccfdc836e0ba4ef24cd9c1d30887aabe35710d8c5384464f3985f8387c3',
      '0x98ee38d6d1f85c8896d02776767b815944f1f6d96d6cca798048f5d91e01d0b8',
      '0x0a923c0b56623e687d1b0dd7bb701c700b1bc084eceb021f8368d557f8240ba9',
    ],
    bad: {
      '0x1': 'invalid_address',
      '0xa923c0b56623e687d1b0dd7bb701c700b1bc084eceb021f8368d557f8240ba9': 'invalid_address',
      '0xf39c7ccfdc836e0ba4ef24cd9c1d30887aabe35710d8c5384464f3985f8387c3\n': 'invalid_address',
      '0x0000000000000000000000000000000000000000000000000000000000000001': 'unusable_address',
      'ed25519-priv-0xf39c7ccfdc836e0ba4ef24cd9c1d30887aabe35710d8c5384464f3985f8387c3': 'secret_not_accepted',
    },
  },
  ton_mainnet: {
    good: [
      'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF',
      'EQC6YL-9UnwM0tcMY5ZjDFCkmK8BW5h62q0dSp4of2BFNvnA',
      'UQC6YL-9UnwM0tcMY5ZjDFCkmK8BW5h62q0dSp4of2BFNqQF',
      'EQDtFpEwcFAEcRe5mLVh2N6C0x+/hJEM7W61/JLnSF74p4q2',
    ],
    bad: {
      '0:ca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e': 'invalid_address',
      'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHG': 'checksum_mismatch',
      'EQDtFpEwcFAEcRe5mLVh2N6C0x+_hJEM7W61_JLnSF74p4q2': 'invalid_address',
      'kQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPgpP': 'testnet_address',
      EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c: 'unusable_address',
    },
  },
  // CIP-19
  cardano_mainnet: {
    good: [
      'addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x',
      'addr1x8phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gt7r0vd4msrxnuwnccdxlhdjar77j6lg0wypcc9uar5d2shskhj42g',
      'addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8',
      'addr1w8phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gtcyjy7wx',
    ],
    bad: {
      addr_test1vz2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzerspjrlsz: 'testnet_address',
      stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw: 'invalid_address',
      addr1gx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer5pnz75xxcrzqf96k: 'invalid_address',
      addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl9: 'checksum_mismatch',
      Ae2tdPwUPEZFSi1cTyL1ZL6bgixhc2vSy5heg6Zg9uP7PpumkAJ82Qprt8b: 'invalid_address',
      ADDR1VX2FXV2UMYHTTKXYXP8X0DLPDT3K6CWNG5PXJ3JHSYDZERS66HRL8: 'invalid_address',
    },
  },
  cosmos_hub: {
    good: [
      'cosmos1qckcmp3uw7qa5407qy3dlw8fzzc9c67yvrf7c6',
      'cosmos1c3ewg38x59jg882y4hz3ngf3wwpumrs8308xla',
      'cosmos1lxcd7dp7tfh06xymksknfcfwrtsht5lrp5qank',
    ],
    bad: {
      cosmos1qckcmp3uw7qa5407qy3dlw8fzzc9c67yvrf7c7: 'checksum_mismatch',
      kava1q4ulv0y83zfrf9yzgc8gt7fvkqf0xd97wks2x0: 'invalid_address',
      cosmosvaloper1qckcmp3uw7qa5407qy3dlw8fzzc9c67yvrf7c6: 'invalid_address',
      COSMOS1QCKCMP3UW7QA5407QY3DLW8FZZC9C67YVRF7C6: 'invalid_address',
    },
  },
  polkadot_mainnet: {
    good: [
      '15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5',
      '19E2g3eFj1V3ioeuYdygKk6XpuQz6S1w2os836nfy3P5bYL',
      '1uiNWVvE2yH8Mu96fgtLHokmRUGgo6q7DUQnzTAz7QpT5c5',
      '1qnJN7FViy3HZaxZK9tGAA71zxHSBeUweirKqCaox4t8GT7',
    ],
    bad: {
      '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY': 'invalid_address',
      DR6pMC4GJiVbgPtNNuw1xgxJyEsYYuXKXq7ZCVBjfFrh3V5: 'invalid_address',
      '15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp6': 'checksum_mismatch',
      '0x2534454d30f8a028e42654d6b535e0651d1d026ddf115cef59ae1dd71bae074e': 'secret_not_accepted',
    },
  },
  // HIP-15
  hedera_mainnet: {
    good: ['0.0.1-dfkxr', '0.0.123-vfmkw', '0.0.1234567890-zbhlt', '0.0.39004-gyebe'],
    unprotected: ['0.0.123', '0.0.4567890'],
    bad: {
      '0.0.123-abcde': 'checksum_mismatch',
      '0.0.123-esxsf': 'testnet_address',
      '0.00.123': 'invalid_address',
      '0.0.0123-vfmkw': 'invalid_address',
      '0.0.123-VFMKW': 'invalid_address',
      '0.0.123 - vfmkw': 'invalid_address',
      '0.123': 'invalid_address',
      '0.0.123.': 'invalid_address',
      '0.0.123-vfmkwxxxx': 'invalid_address',
      '0.0.1e3': 'invalid_address',
      '1.23.456-adpbr': 'invalid_address',
      '0.0.9223372036854775808': 'invalid_address',
      '0.0.0': 'unusable_address',
      '302e020100300506032b657004220420db484b828e64b2d8f12ce3c0a0e93a0b8cce7af1bb8f39c97732394482538e10':
        'secret_not_accepted',
    },
  },
  starknet_mainnet: {
    good: [
      '0x0000090591D9fA3EfC87067d95a643f8455E0b8190eb8Cb7bFd39e4fb7571fDF',
      '0x048fa41160CF328a766fd6528915aA5836bE1a1548b6Da62201ba1c7175736bA',
      '0x0788b45a11Ee333293a1d4389430009529bC97D814233C2A5137c4F5Ff949905',
    ],
    unprotected: [
      '0x07ff6b17f07c4d83236e3fc5f94259a19d1ed41bbcf1822397ea17882e9b038d',
      '0x48fa41160cf328a766fd6528915aa5836be1a1548b6da62201ba1c7175736ba',
      '0x90591D9fA3EfC87067d95a643f8455E0b8190eb8Cb7bFd39e4fb7571fDF',
    ],
    bad: {
      '0x0000090591D9fA3EfC87067d95a643f8455E0b8190eb8Cb7bFd39e4fb7571fDf': 'checksum_mismatch',
      '0x90591d9fA3EfC87067d95a643f8455E0b8190eb8Cb7bFd39e4fb7571fDF': 'checksum_mismatch',
      '0x48fa41160cf328a766fd6528915aa5836be1a1548b6da6220': 'invalid_address',
      '0x00048fa41160cf328a766fd6528915aa5836be1a1548b6da62201ba1c7175736ba': 'invalid_address',
      '48fa41160cf328a766fd6528915aa5836be1a1548b6da62201ba1c7175736ba': 'invalid_address',
      '0x07ff6b17f07c4d83236e3fc5f94259a19d1ed41bbcf1822397ea17882e9b038d ': 'invalid_address',
      '0x0800000000000011000000000000000000000000000000000000000000000001': 'invalid_address',
      '0x07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00': 'invalid_address',
      '0x0000000000000000000000000000000000000000000000000000000000000000': 'unusable_address',
    },
  },
  algorand_mainnet: {
    good: [
      'VQD6TBRL6BH6NAGIPEUG6JZUCPJVXB3GPTHEU5WTKX5DDGSR3AXNKBN5FQ',
      'UZDRIHQ2Q4EVRKYW4DP2XE2W2GFFIHMY2O6VVQWXZ7LS4HILKLX45W3WGA',
      '2UEQTE5QDNXPI7M3TU44G6SYKLFWLPQO7EBZM7K7MHMQQMFI4QJPLHQFHM',
      // It has the length, beginning and letters of a BIP-38 key.
      '6PBQAAAAJM6BUAAAAADQAAAAAAZQAAACAAAJ6AABJQAAAQQAAAAT36FG6A',
    ],
    bad: {
      VQD6TBRL6BH6NAGIPEUG6JZUCPJVXB3GPTHEU5WTKX5DDGSR3AXNKBN5FR: 'checksum_mismatch',
      VQD6TBRL6BH6NAGIPEUG6JZUCPJVXB3GPTHEU5WTKX5DDGSR3AXNKBN5F: 'invalid_address',
      'ALGO-2UEQTE5QDNXPI7M3TU44G6SYKLFWLPQO7EBZM7K7MHMQQMFI4QJPLHQFHM': 'invalid_address',
      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ: 'unusable_address',
    },
  },
  tezos_mainnet: {
    good: [
      'tz1YWK1gDPQx9N1Jh4JnmVre7xN6xhGGM4uC',
      'tz2JmrN5LtfkYZFCQnWQtwpd9u7Fq3Dc4n6E',
      'tz3T8djchG5FDwt7H6wEUU3sRFJwonYPqMJe',
      'KT1S5hgipNSTFehZo7v81gq6fcLChbRwptqy',
    ],
    bad: {
      tz1YWK1gDPQx9N1Jh4JnmVre7xN6xhGGM4uD: 'checksum_mismatch',
      tz5YWK1gDPQx9N1Jh4JnmVre7xN6xhGGM4uC: 'invalid_address',
      sr163Lv22CdE8QagCwf48PWDTquk6isQwv57: 'invalid_address',
      edpkvS5QFv7KRGfa3b87gg9DBpxSm3NpSwnjhUjNBQrRUUR66F7C9g: 'invalid_address',
      tz1Ke2h7sDdakHJQh8WX4Z372du1KChsksyU: 'unusable_address',
      edsk3gUfUPyBSfrS9CCgmCiQsTCHGkviBDusMxDJstFtojtc1zcpsh: 'secret_not_accepted',
    },
  },
  internet_computer: {
    good: [
      'a7218db708c35689495871c3c6860504503ab2a545630809dd8609130331b0c2',
      'g42pg-k3n7u-4sals-ufza4-34yrp-mmvkt-psecp-7do7x-snvq4-llwrj-2ae',
      'ryjl3-tyaaa-aaaaa-aaaba-cai',
      'rrkah-fqaaa-aaaaa-aaaaq-cai',
    ],
    bad: {
      a7218db708c35689495871c3c6860504503ab2a545630809dd8609130331b0c3: 'checksum_mismatch',
      A7218DB708C35689495871C3C6860504503AB2A545630809DD8609130331B0C2: 'invalid_address',
      'ryjl3-tyaaa-aaaaa-aaaba-caq': 'checksum_mismatch',
      'ryjl3-tyaa-aaaaaa-aaaba-cai': 'invalid_address',
      'ryjl3-tyaa-aaaaa-aaaab-acai': 'invalid_address',
      'aaaaa-aa': 'unusable_address',
      '2vxsx-fae': 'unusable_address',
    },
  },
  filecoin_mainnet: {
    good: [
      'f15ihq5ibzwki2b4ep2f46avlkrqzhpqgtga7pdrq',
      'f24vg6ut43yw2h2jqydgbg2xq7x6f4kub3bg6as6i',
      'f3vvmn62lofvhjd2ugzca6sof2j2ubwok6cj4xxbfzz4yuxfkgobpihhd2thlanmsh3w2ptld2gqkn2jvlss4a',
      'f410f2tc7wfsirksibajjmkm5ksymmsgjgm62hjnomwa',
    ],
    bad: {
      t15ihq5ibzwki2b4ep2f46avlkrqzhpqgtga7pdrq: 'testnet_address',
      f15ihq5ibzwki2b4ep2f46avlkrqzhpqgtga7pdra: 'checksum_mismatch',
      f01024: 'invalid_address',
      F15IHQ5IBZWKI2B4EP2F46AVLKRQZHPQGTGA7PDRQ: 'invalid_address',
      '0xd4c5fb16488aa48081296299d54b0c648c9333da': 'invalid_address',
      f4099f2tc7wfsirksibajjmkm5ksymmsgjgm62hjnomwa: 'invalid_address',
    },
  },
} satisfies Record<string, Vectors>;
