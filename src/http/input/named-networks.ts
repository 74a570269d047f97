import { type IncomingMessage } from 'node:http';
import { refuse } from '../../kernel/errors';
import { isTestnet, networkNamed } from '../../networks';
import { isPlainObject } from './checks';
import { pathTo, type Step } from './issue-paths';
import { keysOf } from './keys-of';

/** A network as a caller names it, and in which field. */
export type NamedNetwork = Readonly<{ field: string; name: string }>;

type Asked = Pick<IncomingMessage, 'headers' | 'url'>;

const MOST_NAMED = 100;
const NETWORK = /(^|\.)network$/i;
const NETWORK_LENGTH = 'network'.length;
export const NETWORK_HEADER = 'x-svc-network';

/** Named in header or query, so known before the body is read. Returns all: that only one is given is checked later. */
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

/** At any depth, since a misplaced network is still clear; but metadata keys mean whatever the caller likes. */
function networksInBody(body: unknown): readonly NamedNetwork[] {
  const found: NamedNetwork[] = [];
  if (isPlainObject(body)) inObject(body, undefined, found);
  return found;
}

function inObject(value: Readonly<Record<string, unknown>>, parent: Step | undefined, found: NamedNetwork[]): void {
  for (const key of keysOf(value)) {
    if (parent === undefined && key === 'metadata') continue;
    const entry = value[key];
    // Most entries of a very large body end here.
    if (typeof entry !== 'string' && (typeof entry !== 'object' || entry === null)) continue;
    const isNetwork = endsInNetwork(key);
    if (isNetwork || typeof entry === 'object') inEntry(entry, { key, parent }, isNetwork, found);
  }
}

function inEntry(entry: unknown, step: Step, isNetwork: boolean, found: NamedNetwork[]): void {
  // No field takes a list of networks: a caller that names so many is refused for that.
  if (found.length >= MOST_NAMED) return;
  if (typeof entry === 'string') {
    if (isNetwork) found.push({ field: pathTo(step), name: entry });
  } else if (Array.isArray(entry)) {
    for (const one of entry as readonly unknown[]) inEntry(one, step, isNetwork, found);
  } else if (isPlainObject(entry)) inObject(entry, step, found);
}

const endsInNetwork = (key: string): boolean => key.length >= NETWORK_LENGTH && NETWORK.test(key);

/** In any spelling: `Stellar-Public` means `stellar_public`, and any `…mainnet` is a main network. */
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
