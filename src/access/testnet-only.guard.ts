import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { refuseInput } from '../kernel/errors';
import { isTestnet } from '../networks';
import { networksBesideBody, refuseMainNetworks } from '../http/input/named-networks';
import { type SvcRequest } from '../http/server/request-context';

/**
 * The agent-payment surface supports test networks only. Runs right after authentication: a caller that names a main
 * network is told so before any other check. Names that are no network at all are ordinary bad input.
 */
@Injectable()
export class TestnetOnlyGuard implements CanActivate {
  canActivate(execution: ExecutionContext): boolean {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    refuseMainNetworks(request);
    // In a body, the routes that declare the field check it, together with the rest of the input.
    const unknown = networksBesideBody(request).filter(({ name }) => !isTestnet(name));
    const fields = [...new Set(unknown.map(({ field }) => field))];
    if (fields.length > 0) throw refuseInput(fields.map((field) => ({ field, ...UNKNOWN_NETWORK })));
    return true;
  }
}

const UNKNOWN_NETWORK = {
  code: 'not_allowed',
  message: 'must be a network of this service, such as stellar_testnet',
};
