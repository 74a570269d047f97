import { algorandAddress } from './algorand';
import { bitcoinAddress, dogecoinAddress, litecoinAddress } from './bitcoin-like';
import { cardanoAddress } from './cardano';
import { bitcoinCashAddress } from './cash-address';
import { cosmosAddress } from './cosmos';
import { eip55, evmAddress } from './evm';
import { filecoinAddress } from './filecoin';
import { guardedAddress } from './guarded-address';
import { hederaAddress } from './hedera';
import { internetComputerAddress } from './internet-computer';
import { integerMemo, noMemo, textMemo } from './memos';
import { aptosAddress, suiAddress } from './move';
import { type NetworkName, type Rail, networkNames } from './names';
import { type AddressCheck, type MemoRule, type Network } from './network';
import { solanaAddress } from './solana';
import { starknetAddress, starknetSpelling } from './starknet';
import { stellarAddress } from './stellar';
import { polkadotAddress } from './substrate';
import { tezosAddress } from './tezos';
import { tonAddress } from './ton';
import { xrplAddress } from './xrpl';

type Row = Omit<Network, 'name'>;

const chain = (
  title: string,
  rail: Rail,
  asset: string,
  decimals: number,
  checkAddress: AddressCheck,
  { memo = noMemo, hexIsAddress = false }: { memo?: MemoRule; hexIsAddress?: boolean } = {},
): Row => ({
  title,
  testnet: false,
  rails: [rail],
  native: { asset, decimals, rail },
  tokens: 'none',
  memo,
  checkAddress: guardedAddress(checkAddress, { hexIsAddress }),
});

const evm = (title: string, chainId: number, rail: Rail, asset: string): Row => ({
  ...chain(title, rail, asset, 18, evmAddress),
  rails: [rail, 'evm_erc20'],
  chainId,
  tokens: 'erc20',
  spelling: eip55,
});

const stellar = (title: string, testnet: boolean): Row => ({
  ...chain(title, 'stellar_xlm', 'XLM', 7, stellarAddress, { memo: textMemo('text memo', 28) }),
  testnet,
  tokens: 'stellar_credit',
});

const hex32 = { hexIsAddress: true };

/** Everything the service knows about a network is in its row here and in the address check it names. */
const rows: Readonly<Record<NetworkName, Row>> = {
  stellar_public: stellar('Stellar', false),
  solana_mainnet: chain('Solana', 'solana_sol', 'SOL', 9, solanaAddress, { memo: textMemo('memo', 566) }),
  ethereum_mainnet: evm('Ethereum', 1, 'ethereum_eth', 'ETH'),
  // There is no rail for ETH on Base: the network is offered for USDC and other tokens.
  base_mainnet: { ...evm('Base', 8453, 'base_usdc', 'ETH'), native: { asset: 'ETH', decimals: 18 } },
  bitcoin_mainnet: chain('Bitcoin', 'bitcoin_btc', 'BTC', 8, bitcoinAddress),
  bsc_mainnet: evm('BNB Smart Chain', 56, 'bsc_bnb', 'BNB'),
  xrpl_mainnet: chain('the XRP Ledger', 'xrpl_xrp', 'XRP', 6, xrplAddress, {
    memo: integerMemo('destination tag', 32),
  }),
  arbitrum_one: evm('Arbitrum One', 42161, 'arbitrum_eth', 'ETH'),
  polygon_pos: evm('Polygon PoS', 137, 'polygon_pol', 'POL'),
  avalanche_c_chain: evm('the Avalanche C-Chain', 43114, 'avalanche_avax', 'AVAX'),
  optimism_mainnet: evm('OP Mainnet', 10, 'optimism_eth', 'ETH'),
  sui_mainnet: chain('Sui', 'sui_sui', 'SUI', 9, suiAddress, hex32),
  aptos_mainnet: chain('Aptos', 'aptos_apt', 'APT', 8, aptosAddress, hex32),
  // A comment of 123 bytes fits the first cell of a message after its four-byte tag; every wallet handles that.
  ton_mainnet: chain('TON', 'ton_ton', 'TON', 9, tonAddress, { memo: textMemo('comment', 123) }),
  cardano_mainnet: chain('Cardano', 'cardano_ada', 'ADA', 6, cardanoAddress),
  cosmos_hub: chain('the Cosmos Hub', 'cosmos_atom', 'ATOM', 6, cosmosAddress, { memo: textMemo('memo', 256) }),
  polkadot_mainnet: chain('Polkadot', 'polkadot_dot', 'DOT', 10, polkadotAddress),
  hedera_mainnet: chain('Hedera', 'hedera_hbar', 'HBAR', 8, hederaAddress, { memo: textMemo('memo', 100) }),
  cronos_mainnet: evm('Cronos', 25, 'cronos_cro', 'CRO'),
  mantle_mainnet: evm('Mantle', 5000, 'mantle_mnt', 'MNT'),
  starknet_mainnet: {
    ...chain('Starknet', 'starknet_strk', 'STRK', 18, starknetAddress, hex32),
    spelling: starknetSpelling,
  },
  zksync_era: evm('ZKsync Era', 324, 'zksync_eth', 'ETH'),
  linea_mainnet: evm('Linea', 59144, 'linea_eth', 'ETH'),
  algorand_mainnet: chain('Algorand', 'algorand_algo', 'ALGO', 6, algorandAddress, { memo: textMemo('note', 1000) }),
  tezos_mainnet: chain('Tezos', 'tezos_xtz', 'XTZ', 6, tezosAddress),
  internet_computer: chain('the Internet Computer', 'internet_computer_icp', 'ICP', 8, internetComputerAddress, {
    ...hex32,
    memo: integerMemo('memo', 64),
  }),
  filecoin_mainnet: chain('Filecoin', 'filecoin_fil', 'FIL', 18, filecoinAddress),
  litecoin_mainnet: chain('Litecoin', 'litecoin_ltc', 'LTC', 8, litecoinAddress),
  bitcoin_cash_mainnet: chain('Bitcoin Cash', 'bitcoin_cash_bch', 'BCH', 8, bitcoinCashAddress),
  dogecoin_mainnet: chain('Dogecoin', 'dogecoin_doge', 'DOGE', 8, dogecoinAddress),
  stellar_testnet: stellar('the Stellar testnet', true),
};

export const networks: readonly Network[] = networkNames.map((name) => ({ name, ...rows[name] }));

/** A map, not the object: a caller's input such as `constructor` must not match anything. */
const byName: ReadonlyMap<string, Network> = new Map(networks.map((network) => [network.name, network]));

export const networkNamed = (name: string): Network | undefined => byName.get(name);

/** An unknown name is not a testnet: the unknown is never treated as harmless. */
export const isTestnet = (name: string): boolean => byName.get(name)?.testnet === true;
