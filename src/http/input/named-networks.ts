import { type IncomingMessage } from 'node:http';
import { type Issue, refuse } from '../../kernel/errors';
import { isTestnet, networkNamed } from '../../networks';
import { isPlainObject } from './checks';
import { pathTo, type Step } from './issue-paths';
import { keysOf } from './keys-of';
import { valuesOf } from './query';

/** A network as a caller names it, and in which field. */
export type NamedNetwork = Readonly<{ field: string; name: string }>;

type Asked = Pick<IncomingMessage, 'headers' | 'url'>;

const NETWORK = /(^|\.)network$/i;
const NETWORK_LENGTH = 'network'.length;
export const NETWORK_HEADER = 'x-svc-network';

/** Named in header or query, so known before the body is read. Returns all: that only one is given is checked later. */
export function networksBesideBody({ headers, url = '' }: Asked): readonly NamedNetwork[] {
  const given = headers[NETWORK_HEADER];
  const inHeader = typeof given === 'string' ? given.split(',') : [];
  const query = url.indexOf('?');
  const inQuery = query === -1 ? [] : valuesOf('network', url.slice(query + 1));
  return [
    ...inHeader.map((name) => ({ field: NETWORK_HEADER, name: name.trim() })),
    ...inQuery.map((name) => ({ field: 'network', name })),
  ];
}

/** At any depth, since a misplaced network is still clear; but metadata keys mean whatever the caller likes. */
const mainNetworkInBody = (body: unknown): NamedNetwork | undefined =>
  isPlainObject(body) ? inObject(body, undefined) : undefined;

function inObject(value: Readonly<Record<string, unknown>>, parent: Step | undefined): NamedNetwork | undefined {
  for (const key of keysOf(value)) {
    if (parent === undefined && key === 'metadata') continue;
    const entry = value[key];
    // Most entries of a very large body end here.
    if (typeof entry !== 'string' && (typeof entry !== 'object' || entry === null)) continue;
    const isNetwork = endsInNetwork(key);
    const found = isNetwork || typeof entry === 'object' ? inEntry(entry, { key, parent }, isNetwork) : undefined;
    if (found) return found;
  }
  return undefined;
}

function inEntry(entry: unknown, step: Step, isNetwork: boolean): NamedNetwork | undefined {
  if (typeof entry === 'string') {
    return isNetwork && isMainNetwork({ name: entry }) ? { field: pathTo(step), name: entry } : undefined;
  }
  if (Array.isArray(entry)) {
    for (const one of entry as readonly unknown[]) {
      const found = inEntry(one, step, isNetwork);
      if (found) return found;
    }
    return undefined;
  }
  return isPlainObject(entry) ? inObject(entry, step) : undefined;
}

const endsInNetwork = (key: string): boolean => key.length >= NETWORK_LENGTH && NETWORK.test(key);

/** In any spelling: `Stellar-Public` means `stellar_public`, and any `…mainnet` is a main network. */
export function isMainNetwork({ name }: Pick<NamedNetwork, 'name'>): boolean {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/[-\s]+/g, '_');
  return (networkNamed(plain) !== undefined && !isTestnet(plain)) || /(^|_)main_?net($|_)/.test(plain);
}

export function refuseMainNetworks(request: Asked & Readonly<{ body?: unknown }>): void {
  const main = networksBesideBody(request).find(isMainNetwork) ?? mainNetworkInBody(request.body);
  if (main) throw refuse('phase_0_mainnet_disabled', { field: main.field });
}

/** Names beside the body that are no network at all: ordinary bad input. In a body, the routes that declare it check it. */
export function unknownNetworks(request: Asked): readonly Issue[] {
  const unknown = networksBesideBody(request).filter(({ name }) => !isTestnet(name));
  return [...new Set(unknown.map(({ field }) => field))].map((field) => ({ field, ...UNKNOWN_NETWORK }));
}

const UNKNOWN_NETWORK = {
  code: 'not_allowed',
  message: 'must be a network of this service, such as stellar_testnet',
};
