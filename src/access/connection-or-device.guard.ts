import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type SvcRequest } from '../http/server/request-context';
import { comesAsBearer } from './bearer';
import { ConnectionGuard } from './connection.guard';
import { DeviceGuard } from './device.guard';

/** For what both ends of a connection may see: the agent, by its connection token, or the wallet, by its device. */
@Injectable()
export class ConnectionOrDeviceGuard implements CanActivate {
  constructor(
    private readonly connection: ConnectionGuard,
    private readonly device: DeviceGuard,
  ) {}

  canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    return (comesAsBearer(request) ? this.connection : this.device).canActivate(execution);
  }
}
