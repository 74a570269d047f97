import { NetworkServer } from '../review/network-server.ts';

/** What the service wrote into the page: the one server that the page's policy lets it ask, if any. */
const url = document.querySelector('meta[name="wallet-horizon"]')?.getAttribute('content') ?? '';

export const network: NetworkServer | undefined = /^https?:/.test(url) ? new NetworkServer({ url }) : undefined;

/** Where an account of the test network gets its first coins. */
export const fundingLink = (server: NetworkServer, address: string): string =>
  `${server.url}/friendbot?addr=${encodeURIComponent(address)}`;
