import { isIPv4, isIPv6 } from 'node:net';

type Prefix = Readonly<{ bytes: Uint8Array; bits: number }>;

/** IPv4 that is private, local, shared, reserved, for documentation, or assigned to an infrastructure service. */
const FORBIDDEN_V4 = prefixes(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
);

/**
 * The only IPv6 space allocated for public use. Everything outside is refused without being listed: loopback,
 * IPv4-compatible, NAT64, discard, segment routing, unique-local, link-local, site-local, multicast, and future ranges.
 */
const [PUBLIC_V6] = prefixes('2000::/3');

/** Inside the public space: protocol assignments with Teredo, documentation, 6to4, AS112. */
const FORBIDDEN_V6 = prefixes('2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20');

/** A dual-stack socket shows an IPv4 peer this way, and reaches it. */
const [V4_MAPPED] = prefixes('::ffff:0:0/96');

/** Whether no request may go there. What cannot be parsed as an address is forbidden too. */
export function isForbiddenAddress(address: Uint8Array | string): boolean {
  const bytes = typeof address === 'string' ? addressBytes(address) : address;
  if (bytes?.length === 4) return FORBIDDEN_V4.some((prefix) => covers(prefix, bytes));
  if (bytes?.length !== 16) return true;
  if (covers(V4_MAPPED, bytes)) return isForbiddenAddress(bytes.subarray(12));
  return !covers(PUBLIC_V6, bytes) || FORBIDDEN_V6.some((prefix) => covers(prefix, bytes));
}

/** 4 or 16 bytes of an address in text form, with or without brackets and zone; undefined for anything else. */
export function addressBytes(text: string): Uint8Array | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (isIPv4(bare)) return Uint8Array.from(bare.split('.').map(Number));
  if (isIPv6(bare)) return v6Bytes(bare.split('%', 1)[0] ?? '');
  return undefined;
}

/** Expands text that `isIPv6` has accepted, so it holds at most one `::` and at most one dotted tail. */
function v6Bytes(text: string): Uint8Array {
  const [head = [], tail] = text.split('::').map(groupBytes);
  if (tail === undefined) return Uint8Array.from(head);
  const zeros = new Array<number>(16 - head.length - tail.length).fill(0);
  return Uint8Array.from([...head, ...zeros, ...tail]);
}

function groupBytes(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

function covers({ bytes, bits }: Prefix, address: Uint8Array): boolean {
  return bytes.every((byte, index) => {
    const significant = Math.min(8, Math.max(0, bits - index * 8));
    const mask = (0xff << (8 - significant)) & 0xff;
    return ((byte ^ (address[index] ?? 0)) & mask) === 0;
  });
}

function prefixes<const Texts extends readonly string[]>(...texts: Texts): { [Index in keyof Texts]: Prefix } {
  const parsed = texts.map((text): Prefix => {
    const [network = '', bits] = text.split('/');
    const bytes = addressBytes(network);
    if (!bytes) throw new Error(`not a network: ${text}`);
    return { bytes, bits: Number(bits) };
  });
  return parsed as { [Index in keyof Texts]: Prefix };
}
