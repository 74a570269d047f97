import { Body, Controller, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Tag } from '../../api/openapi/described';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { dateTime, text } from '../../http/input/checks';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { DeviceId } from '../../access/device.guard';
import { Context } from '../../http/server/request-context';
import { IssueKeyInput } from './connect.dto';
import { IssueConnectKey } from './connect-keys.handlers';
import { type WalletDeviceId } from '../../kernel/aggregates';

@Tag('Connect')
@Controller('v1/connect-keys')
export class ConnectKeysController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @Endpoint({
    summary: 'Create a Connect Key',
    description: 'One agent may claim it once within 10 minutes. A claim is only a request: it allows nothing yet.',
    credential: 'device',
    status: 201,
    body: IssueKeyInput,
    answer: {
      connect_key: text({ max: 200, description: 'Shown once; give it to the agent', example: 'svc_ck_…' }).schema,
      expires_at: dateTime().schema,
    },
  })
  async issue(@Body() input: IssueKeyInput, @DeviceId() deviceId: WalletDeviceId, @Context() context: CommandContext) {
    const issued = await this.commands.execute(new IssueConnectKey(deviceId, input.label ?? null, context));
    return { ok: true, connect_key: issued.connectKey, expires_at: issued.expiresAt };
  }
}
