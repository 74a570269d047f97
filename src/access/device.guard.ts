import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { CommandRunner } from '../platform/event-store/run-command';
import { refuse } from '../kernel/errors';
import { hashToken, tokenMatches } from '../platform/secrets/tokens';
import { walletDevice } from '../capabilities/wallet-devices/wallet-device';
import { type SvcRequest } from '../http/server/request-context';
import { CHALLENGE, deviceCredentialOf } from './device-credential';

const DEVICE_ID = /^dev_[0-9A-HJKMNP-TV-Z]{26}$/;

/** Compared against when there is no such device, so that both answers take the same way. */
const NOBODY = hashToken('no such device');

/** Lets a wallet device through that holds its current token. */
@Injectable()
export class DeviceGuard implements CanActivate {
  constructor(private readonly commands: CommandRunner) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    const { deviceId, token } = deviceCredentialOf(request);
    const hash = DEVICE_ID.test(deviceId) ? await this.tokenHashOf(deviceId) : NOBODY;
    if (!tokenMatches(token, hash)) throw refuse('invalid_token', { headers: CHALLENGE });
    request.caller = { actor: { kind: 'wallet_device', id: deviceId } };
    return true;
  }

  private async tokenHashOf(deviceId: string): Promise<string> {
    const { state } = await this.commands.fold(walletDevice, deviceId);
    return state.status === 'active' ? state.tokenHash : NOBODY;
  }
}

/** The verified device id of the caller. */
export const DeviceId = createParamDecorator((_: unknown, execution: ExecutionContext): string => {
  const { caller } = execution.switchToHttp().getRequest<SvcRequest>();
  if (caller?.actor.kind !== 'wallet_device') throw new Error('DeviceId needs the device guard');
  return caller.actor.id;
});
