import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type Issue, refuse, refuseInput } from '../../kernel/errors';
import { isTestnet, networkNamed } from '../../networks';
import { isPlainObject } from '../checks';
import { type SvcRequest } from '../request-context';

const HEADER = 'x-svc-network';

type Named = Readonly<{ field: string; name: string }>;

/**
 * The agent-payment surface knows test networks only. Stands right behind authentication: whoever names a main network is
 * told so before anything else about the call is looked at. Names that are no network at all are ordinary bad input.
 */
@Injectable()
export class TestnetOnlyGuard implements CanActivate {
  canActivate(execution: ExecutionContext): boolean {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    const given = request.headers[HEADER];
    const inHeader = (typeof given === 'string' ? given.split(',') : []).map((name) => ({ field: HEADER, name }));
    const elsewhere = [...namedInBody(request.body), ...namedInQuery(request.url)];
    const main = [...inHeader, ...elsewhere].find(({ name }) => isMainNetwork(name));
    if (main !== undefined) throw refuse('phase_0_mainnet_disabled', { field: main.field });
    const unknown = inHeader.filter(({ name }) => !isTestnet(name.trim()));
    // In body and query the routes that know the field judge it, together with the rest of the input.
    if (unknown.length > 0) throw refuseInput([UNKNOWN_NETWORK]);
    return true;
  }
}

const UNKNOWN_NETWORK: Issue = {
  code: 'not_allowed',
  field: HEADER,
  message: 'must be one network of this service, such as stellar_testnet',
};

/** At any depth, since what a misplaced network means is plain; but in metadata words mean what the caller likes. */
function namedInBody(value: unknown, path = ''): readonly Named[] {
  if (Array.isArray(value)) return value.flatMap((one: unknown) => namedInBody(one, path));
  if (typeof value === 'string') return /(^|\.)network$/i.test(path) ? [{ field: path, name: value }] : [];
  if (!isPlainObject(value)) return [];
  return Object.entries(value)
    .filter(([name]) => path !== '' || name !== 'metadata')
    .flatMap(([name, one]) => namedInBody(one, path === '' ? name : `${path}.${name}`));
}

/** Every one that is given: that it is given once is checked later. */
const namedInQuery = (url: string): readonly Named[] =>
  new URLSearchParams(url.split('?')[1] ?? '').getAll('network').map((name) => ({ field: 'network', name }));

/** However it is spelled: `Stellar-Public` means what `stellar_public` means, and any `…mainnet` says what it is. */
function isMainNetwork(name: string): boolean {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/[-\s]+/g, '_');
  return (networkNamed(plain) !== undefined && !isTestnet(plain)) || /(^|_)main_?net($|_)/.test(plain);
}
