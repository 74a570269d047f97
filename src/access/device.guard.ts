import { type CanActivate, createParamDecorator, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { CommandRunner } from '../platform/event-store/run-command';
import { CLOCK, type Clock } from '../kernel/clock';
import { rotatedMeanwhile } from '../kernel/credential-rules';
import { type Refusal, refuse } from '../kernel/errors';
import { DerivedTokens } from '../platform/secrets/derived-tokens';
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
    const isHolder = tokenMatches(token, device?.tokenHash) || this.maySendAgain(request, device);
    if (!isHolder || !device) throw this.refusalOf(token, device);
    request.caller = { actor: { kind: 'wallet_device', id: deviceId } };
    return true;
  }

  /** Whether a device without its current token is admitted all the same. */
  protected maySendAgain(_request: SvcRequest, _device: KnownDevice | undefined): boolean {
    return false;
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
/** How long a rotation whose response was lost can be repeated with the old token. */
const ROTATION_REPEAT_MS = 10 * 60_000;

/**
 * For token rotation. A caller that repeats the rotation by which its token was replaced is admitted for a while: the
 * response may have been lost, and with it the device. Another caller whose token was just replaced lost a race, and
 * gets an error that says so.
 */
@Injectable()
export class RotatingDeviceGuard extends DeviceGuard {
  constructor(
    commands: CommandRunner,
    private readonly derived: DerivedTokens,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(commands);
  }

  protected override maySendAgain(request: SvcRequest, device: KnownDevice | undefined): boolean {
    const { deviceId, token } = deviceCredentialOf(request);
    const { rotation_id: id } = (request.body ?? {}) as Readonly<{ rotation_id?: unknown }>;
    if (!device?.replaced || typeof id !== 'string') return false;
    if (!this.wasReplaced(token, device, ROTATION_REPEAT_MS)) return false;
    const given = this.derived.replacing('device', deviceId, device.replaced.tokenHash, id);
    return tokenMatches(given, device.tokenHash);
  }

  protected override refusalOf(token: string, device: KnownDevice | undefined): Refusal {
    return device && this.wasReplaced(token, device, ROTATION_RACE_MS)
      ? rotatedMeanwhile(device)
      : super.refusalOf(token, device);
  }

  /** Whether it is the token before the current one, replaced no longer ago than that. */
  private wasReplaced(token: string, { replaced }: KnownDevice, withinMs: number): boolean {
    // One from the future is older than that, too: the clock was set back.
    const age = Math.abs(this.clock.now().getTime() - Date.parse(replaced?.at ?? ''));
    return tokenMatches(token, replaced?.tokenHash) && age <= withinMs;
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
