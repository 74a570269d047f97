import { type NetworkName } from './names';

export type KnownToken = Readonly<{ symbol: string; contract: string; decimals: number }>;

const usdc = (contract: string, decimals = 6): KnownToken => ({ symbol: 'USDC', contract, decimals });
const usdt = (contract: string, decimals = 6): KnownToken => ({ symbol: 'USDT', contract, decimals });

/**
 * Tokens whose name a fake contract would borrow, and whose decimals are not the usual 18. For these, symbol and
 * contract must match; any other token is accepted as its payee names it.
 */
const knownTokens: Readonly<Partial<Record<NetworkName, readonly KnownToken[]>>> = {
  ethereum_mainnet: [
    usdc('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
    usdt('0xdAC17F958D2ee523a2206206994597C13D831ec7'),
    { symbol: 'WBTC', contract: '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599', decimals: 8 },
  ],
  base_mainnet: [
    usdc('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
    usdt('0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2'),
  ],
  // On BNB Smart Chain the exchange's bridge issues both, with 18 decimals.
  bsc_mainnet: [
    usdc('0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18),
    usdt('0x55d398326f99059fF775485246999027B3197955', 18),
  ],
  arbitrum_one: [
    usdc('0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
    usdt('0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'),
  ],
  polygon_pos: [usdc('0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'), usdt('0xc2132D05D31c914a87C6611C10748AEb04B58e8F')],
  avalanche_c_chain: [
    usdc('0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E'),
    usdt('0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7'),
  ],
  optimism_mainnet: [
    usdc('0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85'),
    usdt('0x94b008aA00579c1307B0EF2c499aD98a8ce58e58'),
  ],
  cronos_mainnet: [
    usdc('0xc21223249CA28397B4B6541dfFaEcC539BfF0c59'),
    usdt('0x66e428c3f67a68878562e79A0234c1F83c208770'),
  ],
  mantle_mainnet: [
    usdc('0x09Bc4E0D864854c6aFB6eB9A9cdF58aC190D0dF9'),
    usdt('0x201EBa5CC46D216Ce6DC03F6a759e8E766e956aE'),
  ],
  zksync_era: [usdc('0x1d17CBcF0D6D143135aE902365D2E5e2A16538D4'), usdt('0x493257fD37EDB34451f62EDf8D2a0C418852bA4C')],
  linea_mainnet: [
    usdc('0x176211869cA2b568f2A7D4EE941E073a821EE1ff'),
    usdt('0xA219439258ca9da29E9Cc4cE5596924745e12B93'),
  ],
};

export const knownTokensOn = (network: NetworkName): readonly KnownToken[] => knownTokens[network] ?? [];
