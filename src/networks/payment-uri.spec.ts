import { networkNames } from './names';
import { type PayableFacts, paymentUri } from './payment-uri';

const G = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
const EVM = '0x52908400098527886E0F7030069857D2E4169EE7';
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';

const facts = (network: string, changes: Partial<PayableFacts> = {}): PayableFacts => ({
  network,
  asset: 'X',
  address: 'ADDRESS',
  memo: null,
  contract: null,
  issuer: null,
  decimals: 8,
  chain_id: null,
  ...changes,
});

describe('a link to pay with another wallet', () => {
  it.each<[string, PayableFacts, string, string | null]>([
    [
      'SEP-7 on the test network',
      facts('stellar_testnet', { address: G, asset: 'XLM', memo: 'order 7&é' }),
      '12.50',
      `web+stellar:pay?destination=${G}&amount=12.50&memo=order%207%26%C3%A9&memo_type=MEMO_TEXT&network_passphrase=Test%20SDF%20Network%20%3B%20September%202015`,
    ],
    [
      'SEP-7 with an issued asset',
      facts('stellar_public', { address: G, asset: 'USDC', issuer: G }),
      '1',
      `web+stellar:pay?destination=${G}&amount=1&asset_code=USDC&asset_issuer=${G}`,
    ],
    ['BIP-21', facts('bitcoin_mainnet', { address: 'bc1q' }), '0.00000001', 'bitcoin:bc1q?amount=0.00000001'],
    ['litecoin', facts('litecoin_mainnet'), '2', 'litecoin:ADDRESS?amount=2'],
    ['dogecoin', facts('dogecoin_mainnet'), '2', 'dogecoin:ADDRESS?amount=2'],
    ['a cash address', facts('bitcoin_cash_mainnet', { address: 'qpm2' }), '2', 'bitcoincash:qpm2?amount=2'],
    [
      'a cash address with its name',
      facts('bitcoin_cash_mainnet', { address: 'bitcoincash:qpm2' }),
      '2',
      'bitcoincash:qpm2?amount=2',
    ],
    [
      'EIP-681, native',
      facts('ethereum_mainnet', { address: EVM, decimals: 18, chain_id: 1 }),
      '2.014',
      `ethereum:${EVM}@1?value=2014000000000000000`,
    ],
    [
      'EIP-681, a token',
      facts('base_mainnet', { address: EVM, contract: USDC, decimals: 6, chain_id: 8453 }),
      '12.5',
      `ethereum:${USDC}@8453/transfer?address=${EVM}&uint256=12500000`,
    ],
    [
      'a token of unknown decimals',
      facts('polygon_pos', { address: EVM, contract: USDC, decimals: null, chain_id: 137 }),
      '12.5',
      null,
    ],
    ['Solana Pay', facts('solana_mainnet', { memo: 'a b' }), '0.5', 'solana:ADDRESS?amount=0.5&memo=a%20b'],
    ['TON', facts('ton_mainnet', { memo: 'hi' }), '1.5', 'ton://transfer/ADDRESS?amount=1500000000&text=hi'],
    ['CIP-13', facts('cardano_mainnet'), '50', 'web+cardano:ADDRESS?amount=50'],
    ['ARC-26', facts('algorand_mainnet', { memo: 'n' }), '150.5', 'algorand://ADDRESS?amount=150500000&xnote=n'],
    ['no published scheme', facts('polkadot_mainnet'), '1', null],
    ['an unknown network', facts('constructor'), '1', null],
  ])('%s', (_, given, amount, expected) => expect(paymentUri(given, amount)).toBe(expected));

  it('is found for every network, or said not to be there', () => {
    const chain = { decimals: 18, chain_id: 1 };
    const without = networkNames.filter((name) => paymentUri(facts(name, chain), '1') === null);
    expect(without).toEqual([
      'xrpl_mainnet',
      'sui_mainnet',
      'aptos_mainnet',
      'cosmos_hub',
      'polkadot_mainnet',
      'hedera_mainnet',
      'starknet_mainnet',
      'tezos_mainnet',
      'internet_computer',
      'filecoin_mainnet',
    ]);
  });
});
