import { type CanActivate, createParamDecorator, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { CommandRunner } from '../platform/event-store/run-command';
import { CLOCK, type Clock } from '../kernel/clock';
import { rotatedMeanwhile } from '../kernel/credential-rules';
import { type Refusal, refuse } from '../kernel/errors';
import { tokenMatches } from '../platform/secrets/tokens';
import { type SvcRequest } from '../http/server/request-context';
import { CHALLENGE, deviceCredentialOf } from './device-credential';
import { deviceInUse, type KnownDevice } from './device-in-use';
import { isIdIn, type WalletDeviceId } from '../kernel/aggregates';

/** Admits a wallet device that holds its current token. */
@Injectable()
export class DeviceGuard implements CanActivate {
  constructor(private readonly commands: CommandRunner) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    const { deviceId, token } = deviceCredentialOf(request);
    const device = isIdIn('wallet_device', deviceId) ? await this.activeDevice(deviceId) : undefined;
    if (!tokenMatches(token, device?.tokenHash) || !device) throw this.refusalOf(token, device);
    request.caller = { actor: { kind: 'wallet_device', id: deviceId } };
    return true;
  }

  protected refusalOf(_token: string, _device: KnownDevice | undefined): Refusal {
    return refuse('invalid_token', { headers: CHALLENGE });
  }

  private async activeDevice(deviceId: WalletDeviceId): Promise<KnownDevice | undefined> {
    return (await this.commands.fold(deviceInUse, deviceId)).state;
  }
}

/** How far apart the checks of two concurrent calls may be. */
const ROTATION_RACE_MS = 1_000;

/** For token rotation: a caller whose token was just replaced lost a race, and gets an error that says so. */
@Injectable()
export class RotatingDeviceGuard extends DeviceGuard {
  constructor(
    commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(commands);
  }

  protected override refusalOf(token: string, device: KnownDevice | undefined): Refusal {
    const { replaced } = device ?? {};
    const wasReplaced = tokenMatches(token, replaced?.tokenHash);
    // One from the future is no race either: the clock was set back.
    const age = Math.abs(this.clock.now().getTime() - Date.parse(replaced?.at ?? ''));
    return device && wasReplaced && age <= ROTATION_RACE_MS ? rotatedMeanwhile(device) : super.refusalOf(token, device);
  }
}

/** The verified device id of the caller. */
export const DeviceId = createParamDecorator((_: unknown, execution: ExecutionContext): WalletDeviceId => {
  const { caller } = execution.switchToHttp().getRequest<SvcRequest>();
  if (caller?.actor.kind !== 'wallet_device') throw new Error('DeviceId needs the device guard');
  return caller.actor.id as WalletDeviceId;
});

/** The token a verified device presented. */
export const HeldToken = createParamDecorator((_: unknown, execution: ExecutionContext): string => {
  return deviceCredentialOf(execution.switchToHttp().getRequest<SvcRequest>()).token;
});
