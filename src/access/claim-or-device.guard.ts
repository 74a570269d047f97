import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { type Caller, type SvcRequest } from '../http/server/request-context';
import { AgentTokenGuard } from './agent-token.guard';
import { comesAsBearer } from './bearer';
import { ClaimGuard } from './claim.guard';
import { DeviceGuard } from './device.guard';

/** For what both sides of an invitation may see: its claimant, by bearer token, or the wallet, by its device. */
@Injectable()
export class ClaimOrDeviceGuard implements CanActivate {
  constructor(
    private readonly claim: ClaimGuard,
    private readonly device: DeviceGuard,
  ) {}

  canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    return (comesAsBearer(request) ? this.claim : this.device).canActivate(execution);
  }
}

/** For what both sides of a pairing may see: the agent, by its agent token, or a wallet, by its device. */
@Injectable()
export class AgentOrDeviceGuard implements CanActivate {
  constructor(
    private readonly agent: AgentTokenGuard,
    private readonly device: DeviceGuard,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    return (comesAsBearer(request) ? this.agent : this.device).canActivate(execution);
  }
}

/** Whichever of the two sides called. */
export const EitherCaller = createParamDecorator((_: unknown, execution: ExecutionContext): Caller => {
  const { caller } = execution.switchToHttp().getRequest<SvcRequest>();
  if (caller === undefined) throw new Error('EitherCaller needs a guard before it');
  return caller;
});
