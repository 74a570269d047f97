import { Body, Controller, Delete, Get, Inject, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Tag } from '../../api/openapi/described';
import { walletDevices } from '../../../projections/wallet-devices.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { text } from '../../http/input/checks';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { DeviceId, HeldToken } from '../../access/device.guard';
import { knownDocument } from '../../http/input/own-documents';
import { Context } from '../../http/server/request-context';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { DerivedTokens } from '../../platform/secrets/derived-tokens';
import { hashToken, newToken } from '../../platform/secrets/tokens';
import { DeviceInput, deviceSchema, deviceView, RegisterDeviceInput, RotateTokenInput } from './wallet-devices.dto';
import { ChangeWalletDevice } from './wallet-devices.handlers';
import { type WalletDeviceId } from '../../kernel/aggregates';

const tokenSchema = text({ max: 100, description: 'Shown once; keep it on the device', example: 'svc_dt_…' }).schema;

@Tag('Wallet devices')
@Controller('v1/wallet-devices')
export class WalletDevicesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly derived: DerivedTokens,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Register a wallet device',
    description: 'Anyone may register one. The answer contains the device token, which is shown only here.',
    credential: 'none',
    status: 201,
    body: RegisterDeviceInput,
    answer: { device: deviceSchema, device_token: tokenSchema },
  })
  async register(@Body() input: RegisterDeviceInput, @Context() context: CommandContext) {
    const deviceId = newId('dev');
    const token = newToken('device');
    await this.commands.execute(
      new ChangeWalletDevice(
        {
          kind: 'register',
          deviceId,
          name: input.name,
          platform: input.platform ?? null,
          tokenHash: hashToken(token),
          at: this.now(),
        },
        { ...context, actor: { kind: 'wallet_device', id: deviceId } },
      ),
    );
    return { ok: true, device: await this.read(deviceId), device_token: token };
  }

  @Get(':id')
  @Endpoint({ summary: 'Read this device', credential: 'device', answer: { device: deviceSchema } })
  async readOwn(@Param('id') id: WalletDeviceId, @DeviceId() deviceId: WalletDeviceId) {
    return { ok: true, device: await this.read(own(id, deviceId)) };
  }

  @Post(':id/rotate-token')
  @Endpoint({
    summary: 'Replace the device token',
    description:
      'The old token stops working with this answer. Of several calls with one token the first wins; the others get 409, unless they have ' +
      'the same `rotation_id`.',
    credential: 'rotatingDevice',
    body: RotateTokenInput,
    answer: { device: deviceSchema, device_token: tokenSchema },
    errors: ['version_conflict'],
  })
  async rotate(
    @Param('id') id: WalletDeviceId,
    @Body() { rotation_id: rotationId }: RotateTokenInput,
    @DeviceId() deviceId: WalletDeviceId,
    @HeldToken() held: string,
    @Context() context: CommandContext,
  ) {
    const heldHash = hashToken(held);
    const token =
      rotationId === undefined ? newToken('device') : this.derived.replacing('device', deviceId, heldHash, rotationId);
    const hashes = { heldHash, tokenHash: hashToken(token) };
    const command = { kind: 'rotate-token', deviceId: own(id, deviceId), ...hashes, at: this.now() } as const;
    await this.commands.execute(new ChangeWalletDevice(command, context));
    return { ok: true, device: await this.read(id), device_token: token };
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Remove this device',
    description: 'Final: its token stops working and its connections are revoked.',
    credential: 'device',
    body: DeviceInput,
    answer: { device: deviceSchema },
  })
  async remove(
    @Param('id') id: WalletDeviceId,
    @Body() _input: DeviceInput,
    @DeviceId() deviceId: WalletDeviceId,
    @Context() context: CommandContext,
  ) {
    const command = { kind: 'remove', deviceId: own(id, deviceId), at: this.now() } as const;
    await this.commands.execute(new ChangeWalletDevice(command, context));
    return { ok: true, device: await this.read(id) };
  }

  private now(): string {
    return timestamp(this.clock.now());
  }

  private async read(id: string) {
    return deviceView(await knownDocument(this.readModel, walletDevices, id));
  }
}

/** A device sees only itself; any other id is treated as nonexistent. */
function own(id: WalletDeviceId, deviceId: WalletDeviceId): WalletDeviceId {
  if (id !== deviceId) throw refuse('resource_not_found');
  return id;
}
