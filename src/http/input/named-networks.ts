import { type IncomingMessage } from 'node:http';
import { refuse } from '../../kernel/errors';
import { isTestnet, networkNamed } from '../../networks';
import { isPlainObject } from './checks';
import { pathTo, type Step } from './issue-paths';
import { keysOf } from './keys-of';

/** A network as a caller names it, and where. */
export type NamedNetwork = Readonly<{ field: string; name: string }>;

type Asked = Pick<IncomingMessage, 'headers' | 'url'>;

const MOST_NAMED = 100;
const NETWORK = /(^|\.)network$/i;
const NETWORK_LENGTH = 'network'.length;
export const NETWORK_HEADER = 'x-svc-network';

/** Named by header or query, so known before a body is read. All that are given: that one is given once is checked later. */
export function networksBesideBody({ headers, url = '' }: Asked): readonly NamedNetwork[] {
  const given = headers[NETWORK_HEADER];
  const inHeader = typeof given === 'string' ? given.split(',') : [];
  const query = url.indexOf('?');
  const inQuery = query === -1 ? [] : new URLSearchParams(url.slice(query + 1)).getAll('network');
  return [
    ...inHeader.map((name) => ({ field: NETWORK_HEADER, name: name.trim() })),
    ...inQuery.map((name) => ({ field: 'network', name })),
  ];
}

/** At any depth, since what a misplaced network means is plain; but in metadata words mean what the caller likes. */
function networksInBody(body: unknown): readonly NamedNetwork[] {
  const found: NamedNetwork[] = [];
  if (isPlainObject(body)) inObject(body, undefined, found);
  return found;
}

function inObject(value: Readonly<Record<string, unknown>>, parent: Step | undefined, found: NamedNetwork[]): void {
  for (const key of keysOf(value)) {
    if (parent === undefined && key === 'metadata') continue;
    const entry = value[key];
    // Most of what a body may bring ten thousand of ends here.
    if (typeof entry !== 'string' && (typeof entry !== 'object' || entry === null)) continue;
    const isNetwork = endsInNetwork(key);
    if (isNetwork || typeof entry === 'object') inEntry(entry, { key, parent }, isNetwork, found);
  }
}

function inEntry(entry: unknown, step: Step, isNetwork: boolean, found: NamedNetwork[]): void {
  // Nothing takes a list of them: whoever names so many is refused for that.
  if (found.length >= MOST_NAMED) return;
  if (typeof entry === 'string') {
    if (isNetwork) found.push({ field: pathTo(step), name: entry });
  } else if (Array.isArray(entry)) {
    for (const one of entry as readonly unknown[]) inEntry(one, step, isNetwork, found);
  } else if (isPlainObject(entry)) inObject(entry, step, found);
}

const endsInNetwork = (key: string): boolean => key.length >= NETWORK_LENGTH && NETWORK.test(key);

/** However it is spelled: `Stellar-Public` means what `stellar_public` means, and any `…mainnet` says what it is. */
export function isMainNetwork({ name }: NamedNetwork): boolean {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/[-\s]+/g, '_');
  return (networkNamed(plain) !== undefined && !isTestnet(plain)) || /(^|_)main_?net($|_)/.test(plain);
}

export function refuseMainNetworks(request: Asked & Readonly<{ body?: unknown }>): void {
  const named = [...networksBesideBody(request), ...networksInBody(request.body)].slice(0, MOST_NAMED);
  const main = named.find(isMainNetwork);
  if (main) throw refuse('phase_0_mainnet_disabled', { field: main.field });
}
