import { type IncomingMessage } from 'node:http';
import { refuse } from '../../kernel/errors';
import { isTestnet, networkNamed } from '../../networks';
import { isPlainObject } from './checks';

/** A network as a caller names it, and where. */
export type NamedNetwork = Readonly<{ field: string; name: string }>;

type Asked = Pick<IncomingMessage, 'headers' | 'url'>;

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
function networksInBody(value: unknown, path = ''): readonly NamedNetwork[] {
  if (Array.isArray(value)) return value.flatMap((one: unknown) => networksInBody(one, path));
  if (typeof value === 'string') return /(^|\.)network$/i.test(path) ? [{ field: path, name: value }] : [];
  if (!isPlainObject(value)) return [];
  return Object.entries(value)
    .filter(([name]) => path !== '' || name !== 'metadata')
    .flatMap(([name, one]) => networksInBody(one, path === '' ? name : `${path}.${name}`));
}

/** However it is spelled: `Stellar-Public` means what `stellar_public` means, and any `…mainnet` says what it is. */
export function isMainNetwork({ name }: NamedNetwork): boolean {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/[-\s]+/g, '_');
  return (networkNamed(plain) !== undefined && !isTestnet(plain)) || /(^|_)main_?net($|_)/.test(plain);
}

export function refuseMainNetworks(request: Asked & Readonly<{ body?: unknown }>): void {
  const main = [...networksBesideBody(request), ...networksInBody(request.body)].find(isMainNetwork);
  if (main !== undefined) throw refuse('phase_0_mainnet_disabled', { field: main.field });
}
