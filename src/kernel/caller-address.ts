import { type IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** Which proxies are trusted to report a caller's address: a number of hops, or the proxies in these networks. */
export type TrustedProxies = Readonly<{ hops: number } | { networks: readonly string[] }>;

type Asked = Pick<IncomingMessage, 'headers' | 'socket'>;
type Trust = (address: string, hop: number) => boolean;

/** Parses `TRUST_PROXY`; undefined if it cannot be parsed. */
export function trustedProxies(text: string): TrustedProxies | undefined {
  if (/^\d+$/.test(text)) return /^([1-9]|10)$/.test(text) ? { hops: Number(text) } : undefined;
  const networks = text.split(',').map((network) => network.trim());
  return networks.every((network) => blockOf(network) !== undefined) ? { networks } : undefined;
}

/**
 * The address a caller is counted by: the socket's or, if the peer is a trusted proxy, the one it forwards for. Each
 * proxy appends the address it was called from to the header, so the header is read from the end; what precedes the
 * first untrusted address may be forged.
 */
export function callerAddresses(proxies: TrustedProxies | undefined): (request: Asked) => string {
  const isTrusted = proxies === undefined ? undefined : trustIn(proxies);
  return ({ headers, socket }) => {
    const peer = plain(socket.remoteAddress ?? '');
    if (isTrusted === undefined || peer === '') return peer === '' ? 'unknown' : networkOf(peer);
    const forwarded = headers['x-forwarded-for'];
    const claimed = typeof forwarded === 'string' ? forwarded.slice(-MAX_HEADER_LENGTH).split(',') : [];
    let address = peer;
    for (let hop = 0; isTrusted(address, hop) && claimed.length > 0; hop += 1) {
      const next = plain((claimed.pop() ?? '').trim());
      // Otherwise one caller could send arbitrary text and be counted as many.
      if (isIP(next) === 0) break;
      address = next;
    }
    return networkOf(address);
  };
}

/** An IPv6 subscriber has at least a /64 to choose addresses from: counted one by one, nobody would reach a limit. */
function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const bare = withoutZone(address);
  const [head = [], tail] = bare.split('::').map((part) => (part === '' ? [] : part.split(':')));
  // An IPv4 address at the end stands for two groups; a dot in a zone does not.
  const shown = head.length + (tail ?? []).length + (bare.includes('.') ? 1 : 0);
  const groups = [...head, ...Array<string>(8 - shown).fill('0'), ...(tail ?? [])];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

const withoutZone = (address: string): string => address.replace(/%.*/, '');

/** Ten proxies' worth. */
const MAX_HEADER_LENGTH = 500;

function trustIn(proxies: TrustedProxies): Trust {
  if ('hops' in proxies) return (_, hop) => hop < proxies.hops;
  const believed = new BlockList();
  for (const network of proxies.networks) {
    const block = blockOf(network);
    if (block !== undefined) believed.addSubnet(...block);
  }
  return (address) => believed.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function blockOf(network: string): [address: string, prefix: number, family: 'ipv4' | 'ipv6'] | undefined {
  const [, address = '', prefix] = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(network) ?? [];
  const version = isIP(address);
  const longest = version === 6 ? 128 : 32;
  if (version === 0 || Number(prefix ?? longest) > longest) return undefined;
  return [address, Number(prefix ?? longest), version === 6 ? 'ipv6' : 'ipv4'];
}

/** One spelling per address: without the port some proxies add, and IPv4 as such where a dual-stack socket maps it. */
function plain(address: string): string {
  const [, bracketed] = /^\[([0-9a-fA-F:.]+)\](?::\d+)?$/.exec(address) ?? [];
  const [, dotted] = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?$/i.exec(address) ?? [];
  return (dotted ?? bracketed ?? address).toLowerCase();
}
