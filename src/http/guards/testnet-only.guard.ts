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
    const elsewhere = [...namedIn(request.body), ...namedIn(request.query)];
    const main = [...inHeader, ...elsewhere].find(({ name }) => isMainNetwork(name));
    if (main !== undefined) throw refuse('phase_0_mainnet_disabled', { field: main.field });
    const unknown = inHeader.filter(({ name }) => !isTestnet(name.trim()));
    // In body and query the routes that know the field judge it, together with the rest of the input.
    if (unknown.length > 0) throw refuseInput([UNKNOWN_NETWORK]);
    return true;
  }
}

const UNKNOWN_NETWORK: Issue = { code: 'not_allowed', field: HEADER, message: 'must be one network of this service' };

function namedIn(fields: unknown): readonly Named[] {
  if (!isPlainObject(fields)) return [];
  const { network: name } = fields;
  return typeof name === 'string' ? [{ field: 'network', name }] : [];
}

/** However it is spelled: `Stellar-Public` means what `stellar_public` means, and any `…mainnet` says what it is. */
function isMainNetwork(name: string): boolean {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/[-\s]+/g, '_');
  return (networkNamed(plain) !== undefined && !isTestnet(plain)) || /(^|_)main_?net($|_)/.test(plain);
}
