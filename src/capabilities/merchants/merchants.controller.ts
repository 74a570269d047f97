import { Body, Controller, Get, Inject, Patch } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Tag } from '../../api/openapi/described';
import { merchants } from '../../../projections/merchants.projection';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { Merchant } from '../../access/session.guard';
import { type MerchantCaller } from '../../http/server/callers';
import { merchantSchema, merchantView } from '../../access/merchant-view';
import { readDraft } from '../../http/input/draft';
import { knownDocument } from '../../http/input/own-documents';
import { Context } from '../../http/server/request-context';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { RenameMerchant } from './merchants.handlers';
import { RenameMerchantInput } from './merchants.dto';
import { type MerchantId } from '../../kernel/aggregates';

@Tag('Merchants')
@Controller('v1/merchants')
export class MerchantsController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get('current')
  @Endpoint({ summary: 'Read the session’s merchant', credential: 'session', answer: { merchant: merchantSchema } })
  current(@Merchant() { merchantId }: MerchantCaller) {
    return this.view(merchantId);
  }

  @Patch('current')
  @Endpoint({
    summary: 'Rename the session’s merchant',
    description:
      'Connections show the new name and, in `agreed_names`, the one that their user agreed to; payment requests keep that one.',
    credential: 'merchant',
    body: RenameMerchantInput,
    readsBodyItself: true,
    answer: { merchant: merchantSchema },
    errors: ['version_conflict'],
  })
  async rename(
    @Body() body: Record<string, unknown>,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    const { issues, sound } = readDraft(RenameMerchantInput, body);
    const { version, name } = sound as RenameMerchantInput;
    const command = { kind: 'rename', merchantId, version, name, at: timestamp(this.clock.now()) } as const;
    await this.commands.execute(new RenameMerchant(command, context, issues));
    return this.view(merchantId);
  }

  private async view(merchantId: MerchantId) {
    const merchant = await knownDocument(this.readModel, merchants, merchantId);
    return { ok: true, merchant: merchantView(merchant) };
  }
}
