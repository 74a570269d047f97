import { type IncomingMessage } from 'node:http';
import { refuse } from '../../kernel/errors';
import { isTestnet, networkNamed } from '../../networks';
import { isPlainObject } from './checks';
import { pathTo, type Step } from './issue-paths';

/** A network as a caller names it, and where. */
export type NamedNetwork = Readonly<{ field: string; name: string }>;

type Asked = Pick<IncomingMessage, 'headers' | 'url'>;

const MOST_NAMED = 100;
const NETWORK = /(^|\.)network$/i;
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
function* networksInBody(value: unknown, step?: Step, isNetwork = false): Generator<NamedNetwork> {
  if (typeof value === 'string') {
    if (isNetwork) yield { field: pathTo(step), name: value };
  } else if (Array.isArray(value)) {
    for (const one of value as readonly unknown[])
      if (isNetwork || typeof one === 'object') yield* networksInBody(one, step, isNetwork);
  } else if (isPlainObject(value)) {
    for (const key of Object.keys(value)) {
      if (step === undefined && key === 'metadata') continue;
      yield* networksInBody(value[key], { key, parent: step }, NETWORK.test(key));
    }
  }
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
  let looked = 0;
  for (const named of [networksBesideBody(request), networksInBody(request.body)]) {
    for (const one of named) {
      if (isMainNetwork(one)) throw refuse('phase_0_mainnet_disabled', { field: one.field });
      // Nothing takes a list of them: whoever names so many is refused for that.
      looked += 1;
      if (looked === MOST_NAMED) return;
    }
  }
}
