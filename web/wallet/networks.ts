const NAMES: Readonly<Record<string, string>> = {
  stellar_testnet: 'Stellar testnet',
  stellar_public: 'Stellar',
};

/** The network's display name. */
export function networkName(network: string): string {
  const said = network.replace(/_(mainnet|public)$/, '').replaceAll('_', ' ');
  return NAMES[network] ?? said.charAt(0).toUpperCase() + said.slice(1);
}
