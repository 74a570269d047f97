import { NetworkServer } from '../review/network-server.ts';

/** Written into the page by the service: the one network server that the page's CSP lets it call, if any. */
const url = document.querySelector('meta[name="wallet-horizon"]')?.getAttribute('content') ?? '';

export const network: NetworkServer | undefined = /^https?:/.test(url) ? new NetworkServer({ url }) : undefined;

/** Where an account on the test network gets its first coins. */
export const fundingLink = (server: NetworkServer, address: string): string =>
  `${server.url}/friendbot?addr=${encodeURIComponent(address)}`;
