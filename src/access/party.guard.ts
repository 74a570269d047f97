import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { tokenPrefix } from '../platform/secrets/tokens';
import { isPlainObject } from '../http/input/checks';
import { type SvcRequest } from '../http/server/request-context';
import { bearerOf, comesAsBearer } from './bearer';
import { ConnectionGuard } from './connection.guard';
import { ConnectionOrDeviceGuard } from './connection-or-device.guard';
import { DeviceGuard } from './device.guard';
import { SessionCookie } from './session-cookie';
import { ActiveMerchantGuard, SessionGuard } from './session.guard';

/** For what all three parties to a payment may see: the agent, the wallet, and the merchant's operator by a session. */
@Injectable()
export class PartyGuard implements CanActivate {
  constructor(
    private readonly either: ConnectionOrDeviceGuard,
    private readonly session: SessionGuard,
    private readonly active: ActiveMerchantGuard,
    private readonly cookie: SessionCookie,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    if (!this.comesWithSession(request)) return this.either.canActivate(execution);
    return (await this.session.canActivate(execution)) && this.active.canActivate(execution);
  }

  /** Judged by the form of the credential; the guard it leads to verifies it. */
  private comesWithSession(request: SvcRequest): boolean {
    const bearer = bearerOf(request);
    if (bearer !== undefined) return bearer.startsWith(tokenPrefix.session);
    return comesByCookie(request, this.cookie);
  }
}

/** For what wallet and merchant may both see: by a device, or by an operator's session. */
@Injectable()
export class DeviceOrMerchantGuard implements CanActivate {
  constructor(
    private readonly device: DeviceGuard,
    private readonly session: SessionGuard,
    private readonly active: ActiveMerchantGuard,
    private readonly cookie: SessionCookie,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    if (!comesAsBearer(request) && !comesByCookie(request, this.cookie)) return this.device.canActivate(execution);
    return (await this.session.canActivate(execution)) && this.active.canActivate(execution);
  }
}

/** An Authorization header or a wallet's `device_id` takes precedence over the cookie. */
const comesByCookie = ({ headers, query, body }: SvcRequest, cookie: SessionCookie): boolean => {
  const byDevice = headers.authorization !== undefined || namesDevice(query) || namesDevice(body);
  return !byDevice && cookie.valuesIn(headers.cookie).length > 0;
};

const namesDevice = (input: unknown): boolean => isPlainObject(input) && 'device_id' in input;

/** For what the agent that asked and its merchant may both do: by a connection token, or by an operator's session. */
@Injectable()
export class ConnectionOrMerchantGuard implements CanActivate {
  constructor(
    private readonly connection: ConnectionGuard,
    private readonly session: SessionGuard,
    private readonly active: ActiveMerchantGuard,
    private readonly cookie: SessionCookie,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    const bearer = bearerOf(request);
    const bySession =
      bearer === undefined ? comesByCookie(request, this.cookie) : bearer.startsWith(tokenPrefix.session);
    if (!bySession) return this.connection.canActivate(execution);
    return (await this.session.canActivate(execution)) && this.active.canActivate(execution);
  }
}
