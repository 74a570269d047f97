import { type Vectors } from './vectors.fixtures';

const XPUB =
  'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8';
const XPRV =
  'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi';

/** Bitcoin from BIP-173 and BIP-350, Bitcoin Cash from the cashaddr specification. */
export const bitcoinLikeVectors = {
  bitcoin_mainnet: {
    good: [
      'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
      'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
      '342ftSRCvFHfCeFFBuz4xwbeqnDw6BGUey',
    ],
    bad: {
      tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx: 'testnet_address',
      mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn: 'testnet_address',
      bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5: 'checksum_mismatch',
      Bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4: 'checksum_mismatch',
      bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd: 'checksum_mismatch',
      bc1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqk4um3w: 'checksum_mismatch',
      bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs: 'invalid_address',
      bc1pw5dgrnzv: 'invalid_address',
      bc1qr508d6qejxtdg4y5r3zarvaryv98gj9p: 'invalid_address',
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb': 'checksum_mismatch',
      LMHEFMwRsQ3nHDfb9zZqynLHxjuJ2hgyyW: 'invalid_address',
      '1111111111111111111114oLvT2': 'unusable_address',
      [XPUB]: 'invalid_address',
      [XPRV]: 'secret_not_accepted',
      '5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ': 'secret_not_accepted',
    },
  },
  litecoin_mainnet: {
    good: [
      'LMHEFMwRsQ3nHDfb9zZqynLHxjuJ2hgyyW',
      'MC2JYMPVWaxqUb9qUkUbjtUwoNMo1tPaLF',
      'ltc1qhzjptwpym9afcdjhs7jcz6fd0jma0l0rc0e5yr',
      'ltc1qzvcgmntglcuv4smv3lzj6k8szcvsrmvk0phrr9wfq8w493r096ssm2fgsw',
      // Begins like a segwit address.
      'LTc1xxxxxxxxxxxxxxxxxxxxxxxxvQvANR',
    ],
    bad: {
      LMHEFMwRsQ3nHDfb9zZqynLHxjuJ2hgyyX: 'checksum_mismatch',
      '342ftSRCvFHfCeFFBuz4xwbeqnDw6BGUey': 'invalid_address',
      bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3: 'invalid_address',
      tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0: 'testnet_address',
      ltcmweb1qqwant: 'invalid_address',
    },
  },
  bitcoin_cash_mainnet: {
    good: [
      'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
      'bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq',
      'bitcoincash:qr6m7j9njldwwzlg9v7v53unlr4jkmx6eylep8ekg2',
      'qrvax3jgtwqssnkpctlqdl0rq7rjn0l0hgny8pt0hp',
      'BITCOINCASH:QPM2QSZNHKS23Z7629MMS6S4CWEF74VCWVY22GDX6A',
    ],
    bad: {
      'bchtest:pr6m7j9njldwwzlg9v7v53unlr4jkmx6eyvwc0uz5t': 'testnet_address',
      pr6m7j9njldwwzlg9v7v53unlr4jkmx6eyvwc0uz5t: 'testnet_address',
      'pref:pr6m7j9njldwwzlg9v7v53unlr4jkmx6ey65nvtks5': 'invalid_address',
      'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6q': 'checksum_mismatch',
      'bitcoincash:QPM2QSZNHKS23Z7629MMS6S4CWEF74VCWVY22GDX6A': 'invalid_address',
      'bitcoincash:q9adhakpwzztepkpwp5z0dq62m6u5v5xtyj7j3h2ws4mr9g0': 'invalid_address',
      '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu': 'invalid_address',
    },
  },
  dogecoin_mainnet: {
    good: [
      'D7wbmbjBWG5HPkT6d4gh6SdQPp6z25vcF2',
      'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L',
      'DBXu2kgc3xtvCUWFcxFE3r9hEYgmuaaCyD',
      // Begins like an extended public key.
      'DGuB12CaqNTmRSDK24n9rBtTRWQAgCHkdA',
    ],
    bad: {
      D7wbmbjBWG5HPkT6d4gh6SdQPp6z25vcF3: 'checksum_mismatch',
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa': 'invalid_address',
      mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn: 'testnet_address',
      D7wbmbjBWG5HPkT6d4gh6SdQPp6z25vc: 'checksum_mismatch',
    },
  },
} satisfies Record<string, Vectors>;
