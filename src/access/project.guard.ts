import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { refuse, refuseInput } from '../kernel/errors';
import { isPlainObject } from '../http/input/checks';
import { refuseMainNetworks } from '../http/input/named-networks';
import { type SvcRequest } from '../http/server/request-context';
import { API_KEY_HEADER, ApiKeyGuard } from './api-key.guard';
import { comesAsBearer } from './bearer';
import { DeviceGuard } from './device.guard';
import { SessionCookie } from './session-cookie';
import { ActiveMerchantGuard, SessionGuard } from './session.guard';
import { type WalletDeviceId, type MerchantId } from '../kernel/aggregates';

const NEEDS_SESSION =
  'This call needs a merchant session; a project API key alone does not do. ' +
  'Send the session as its cookie with X-CSRF-Token, or as Authorization: Bearer.';

/** Judged by what is sent; the session guard verifies it. */
const comesWithSession = (request: SvcRequest, cookie: SessionCookie): boolean =>
  comesAsBearer(request) || cookie.valuesIn(request.headers.cookie).length > 0;

/** For operator-only calls on the agent-payment surface. A project key sent with one must be the same merchant's. */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(
    private readonly session: SessionGuard,
    private readonly active: ActiveMerchantGuard,
    private readonly apiKeys: ApiKeyGuard,
    private readonly cookie: SessionCookie,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    const byKeyAlone = request.headers[API_KEY_HEADER] !== undefined && !comesWithSession(request, this.cookie);
    if (byKeyAlone) throw refuse('unauthenticated', { message: NEEDS_SESSION });
    await this.session.canActivate(execution);
    if (request.headers[API_KEY_HEADER] !== undefined) await this.compareKey(request);
    // Checked before the merchant's status: a main network is refused whether or not the merchant is active.
    refuseMainNetworks(request);
    return this.active.canActivate(execution);
  }

  private async compareKey(request: SvcRequest): Promise<void> {
    const { merchantId } = await this.apiKeys.holderOf(request);
    if (merchantId === request.caller?.merchant?.merchantId) return;
    const message = 'belongs to another merchant than the session';
    throw refuseInput([{ code: 'conflict', field: API_KEY_HEADER, message }]);
  }
}

/** For what an operator proposes and a wallet decides: a device or a session, depending on what is sent. */
@Injectable()
export class AdminOrDeviceGuard implements CanActivate {
  constructor(
    private readonly admin: AdminGuard,
    private readonly device: DeviceGuard,
  ) {}

  canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    const { headers } = request;
    const body: unknown = request.body;
    // Browsers send cookies automatically, also from a wallet's page: device fields in the body take precedence.
    const inBody = headers.authorization === undefined && isPlainObject(body) && 'device_id' in body;
    return (comesAsDevice(headers.authorization) || inBody ? this.device : this.admin).canActivate(execution);
  }
}

const comesAsDevice = (authorization = ''): boolean => /^device\s/i.test(authorization);

/** For reads: the merchant's program by its key, its operator by a session, or the wallet concerned by its device. */
@Injectable()
export class ProjectGuard implements CanActivate {
  constructor(
    private readonly admin: AdminGuard,
    private readonly apiKeys: ApiKeyGuard,
    private readonly device: DeviceGuard,
    private readonly cookie: SessionCookie,
  ) {}

  canActivate(execution: ExecutionContext): Promise<boolean> {
    return this.guardFor(execution.switchToHttp().getRequest<SvcRequest>()).canActivate(execution);
  }

  private guardFor(request: SvcRequest): Readonly<{ canActivate(execution: ExecutionContext): Promise<boolean> }> {
    const { headers, query } = request;
    const byDevice = comesAsDevice(headers.authorization) || (isPlainObject(query) && 'device_id' in query);
    if (headers[API_KEY_HEADER] === undefined) return byDevice ? this.device : this.admin;
    return comesWithSession(request, this.cookie) ? this.admin : this.apiKeys;
  }
}

/** For what the merchant's program may do by its key, and its operator by a session. */
@Injectable()
export class ApiKeyOrAdminGuard implements CanActivate {
  constructor(
    private readonly admin: AdminGuard,
    private readonly apiKeys: ApiKeyGuard,
    private readonly cookie: SessionCookie,
  ) {}

  canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    const byKeyAlone = request.headers[API_KEY_HEADER] !== undefined && !comesWithSession(request, this.cookie);
    return (byKeyAlone ? this.apiKeys : this.admin).canActivate(execution);
  }
}

/** Whose data a read may show: a merchant's, or a wallet's. */
export type Owner = Readonly<{ merchantId: MerchantId } | { deviceId: WalletDeviceId }>;

export const OwnerCaller = createParamDecorator((_: unknown, execution: ExecutionContext): Owner => {
  const { caller } = execution.switchToHttp().getRequest<SvcRequest>();
  const merchantId = caller?.apiKey?.merchantId ?? caller?.merchant?.merchantId;
  if (merchantId !== undefined) return { merchantId };
  if (caller?.actor.kind !== 'wallet_device') throw new Error('OwnerCaller needs the project guard');
  return { deviceId: caller.actor.id as WalletDeviceId };
});

/** The field that must name the owner in whatever is shown. */
export const ownershipOf = (owner: Owner): Readonly<{ merchant_id?: MerchantId; device_id?: WalletDeviceId }> =>
  'merchantId' in owner ? { merchant_id: owner.merchantId } : { device_id: owner.deviceId };

/** The index that lists what an owner has, and the value to look for. */
export const indexOf = (owner: Owner): readonly [index: string, id: string] =>
  'merchantId' in owner ? ['by_merchant', owner.merchantId] : ['by_device', owner.deviceId];
