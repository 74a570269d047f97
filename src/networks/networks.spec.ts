import { eip55 } from './evm';
import { isTestnet, networkNamed, networkNames, networks, rails } from './index';
import { knownTokensOn } from './known-tokens';

const SPECIFIED_RAILS =
  'stellar_xlm, solana_sol, ethereum_eth, base_usdc, bitcoin_btc, bsc_bnb, xrpl_xrp, arbitrum_eth, polygon_pol, ' +
  'avalanche_avax, optimism_eth, sui_sui, aptos_apt, ton_ton, cardano_ada, cosmos_atom, polkadot_dot, hedera_hbar, ' +
  'cronos_cro, mantle_mnt, starknet_strk, zksync_eth, linea_eth, algorand_algo, tezos_xtz, internet_computer_icp, ' +
  'filecoin_fil, litecoin_ltc, bitcoin_cash_bch, dogecoin_doge, evm_erc20';
const SPECIFIED_NETWORKS =
  'stellar_public, solana_mainnet, ethereum_mainnet, base_mainnet, bitcoin_mainnet, bsc_mainnet, xrpl_mainnet, ' +
  'arbitrum_one, polygon_pos, avalanche_c_chain, optimism_mainnet, sui_mainnet, aptos_mainnet, ton_mainnet, ' +
  'cardano_mainnet, cosmos_hub, polkadot_mainnet, hedera_mainnet, cronos_mainnet, mantle_mainnet, starknet_mainnet, ' +
  'zksync_era, linea_mainnet, algorand_mainnet, tezos_mainnet, internet_computer, filecoin_mainnet, ' +
  'litecoin_mainnet, bitcoin_cash_mainnet, dogecoin_mainnet, stellar_testnet';

describe('the table of networks', () => {
  it('has the 31 rails and 31 networks of the specification, in its order', () => {
    expect(rails).toHaveLength(31);
    expect(networkNames).toHaveLength(31);
    expect(rails.join(', ')).toBe(SPECIFIED_RAILS);
    expect(networkNames.join(', ')).toBe(SPECIFIED_NETWORKS);
    expect(networks.map(({ name }) => name)).toEqual([...networkNames]);
  });

  it('reaches every rail from some network', () => {
    expect(new Set(networks.flatMap((network) => network.rails))).toEqual(new Set(rails));
  });

  it('knows native assets, decimals and rails', () => {
    expect(networks.map((n) => `${n.name} ${n.native.asset} ${n.native.decimals} ${n.rails.join(' ')}`)).toEqual([
      'stellar_public XLM 7 stellar_xlm',
      'solana_mainnet SOL 9 solana_sol',
      'ethereum_mainnet ETH 18 ethereum_eth evm_erc20',
      'base_mainnet ETH 18 base_usdc evm_erc20',
      'bitcoin_mainnet BTC 8 bitcoin_btc',
      'bsc_mainnet BNB 18 bsc_bnb evm_erc20',
      'xrpl_mainnet XRP 6 xrpl_xrp',
      'arbitrum_one ETH 18 arbitrum_eth evm_erc20',
      'polygon_pos POL 18 polygon_pol evm_erc20',
      'avalanche_c_chain AVAX 18 avalanche_avax evm_erc20',
      'optimism_mainnet ETH 18 optimism_eth evm_erc20',
      'sui_mainnet SUI 9 sui_sui',
      'aptos_mainnet APT 8 aptos_apt',
      'ton_mainnet TON 9 ton_ton',
      'cardano_mainnet ADA 6 cardano_ada',
      'cosmos_hub ATOM 6 cosmos_atom',
      'polkadot_mainnet DOT 10 polkadot_dot',
      'hedera_mainnet HBAR 8 hedera_hbar',
      'cronos_mainnet CRO 18 cronos_cro evm_erc20',
      'mantle_mainnet MNT 18 mantle_mnt evm_erc20',
      'starknet_mainnet STRK 18 starknet_strk',
      'zksync_era ETH 18 zksync_eth evm_erc20',
      'linea_mainnet ETH 18 linea_eth evm_erc20',
      'algorand_mainnet ALGO 6 algorand_algo',
      'tezos_mainnet XTZ 6 tezos_xtz',
      'internet_computer ICP 8 internet_computer_icp',
      'filecoin_mainnet FIL 18 filecoin_fil',
      'litecoin_mainnet LTC 8 litecoin_ltc',
      'bitcoin_cash_mainnet BCH 8 bitcoin_cash_bch',
      'dogecoin_mainnet DOGE 8 dogecoin_doge',
      'stellar_testnet XLM 7 stellar_xlm',
    ]);
  });

  it('knows the chain ids of the EVM networks, and gives the others none', () => {
    const withChainId = networks.filter((network) => network.chainId !== undefined);
    expect(Object.fromEntries(withChainId.map(({ name, chainId }) => [name, chainId]))).toEqual({
      ethereum_mainnet: 1,
      base_mainnet: 8453,
      bsc_mainnet: 56,
      arbitrum_one: 42161,
      polygon_pos: 137,
      avalanche_c_chain: 43114,
      optimism_mainnet: 10,
      cronos_mainnet: 25,
      mantle_mainnet: 5000,
      zksync_era: 324,
      linea_mainnet: 59144,
    });
    expect(withChainId.every(({ tokens, rails: own }) => tokens === 'erc20' && own.includes('evm_erc20'))).toBe(true);
  });

  it('has one testnet, and takes an unknown name for none', () => {
    expect(networkNames.filter(isTestnet)).toEqual(['stellar_testnet']);
    expect(isTestnet('ethereum_sepolia')).toBe(false);
  });

  it.each(['', 'constructor', '__proto__', 'Stellar_Testnet', 'stellar_testnet '])('finds nothing under %j', (name) => {
    expect(networkNamed(name)).toBeUndefined();
    expect(isTestnet(name)).toBe(false);
  });

  it('spells the contracts of known tokens with their checksum', () => {
    const tokens = networkNames.flatMap((name) => knownTokensOn(name));
    expect(tokens.length).toBeGreaterThanOrEqual(22);
    for (const { contract } of tokens) expect(contract).toBe(eip55(contract));
    expect(new Set(tokens.map(({ contract }) => contract)).size).toBe(tokens.length);
  });
});
