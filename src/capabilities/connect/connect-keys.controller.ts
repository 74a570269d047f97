import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Response } from 'express';
import { Tag } from '../../api/openapi/described';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { dateTime, text } from '../../http/input/checks';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { DeviceId } from '../../access/device.guard';
import { complete } from '../../http/input/draft';
import { readKeyedDraft, sayMade } from '../../http/input/keyed-draft';
import { Context, type SvcRequest } from '../../http/server/request-context';
import { IssueKeyInput } from './connect.dto';
import { IssueConnectKey } from './connect-keys.handlers';
import { type WalletDeviceId } from '../../kernel/aggregates';

const connectKeySchema = text({
  max: 200,
  description: 'Shown once, and for ten minutes to the same call under its idempotency key; give it to the agent',
  example: 'svc_ck_…',
}).schema;

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
    readsBodyItself: true,
    keyed: true,
    answer: { expires_at: dateTime().schema },
    optional: { connect_key: connectKeySchema },
  })
  async issue(
    @Body() body: Record<string, unknown>,
    @Req() { headers }: SvcRequest,
    @DeviceId() deviceId: WalletDeviceId,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) response: Response,
  ) {
    const draft = readKeyedDraft(IssueKeyInput, body, headers);
    const { label = null } = complete(draft);
    const issued = await this.commands.execute(new IssueConnectKey(deviceId, label, draft.under, context));
    sayMade(response, issued.replayed);
    const { connectKey: connect_key, expiresAt: expires_at } = issued;
    return { ok: true, ...(connect_key === undefined ? {} : { connect_key }), expires_at };
  }
}
