import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { refuseMainNetworks } from '../http/input/named-networks';
import { type SvcRequest } from '../http/server/request-context';

/**
 * The agent-payment surface supports test networks only. Runs right after authentication: a caller that names a main
 * network is told so before any other check. Names that are no network at all are ordinary bad input.
 */
@Injectable()
export class TestnetOnlyGuard implements CanActivate {
  canActivate(execution: ExecutionContext): boolean {
    refuseMainNetworks(execution.switchToHttp().getRequest<SvcRequest>());
    return true;
  }
}
