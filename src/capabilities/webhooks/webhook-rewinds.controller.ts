import { Body, Controller, Delete, Get, Inject, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Tag } from '../../api/openapi/described';
import { webhookRewinds } from '../../../projections/webhook-rewinds.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { Merchant } from '../../access/session.guard';
import { type MerchantCaller } from '../../http/server/callers';
import { readDraft } from '../../http/input/draft';
import { ownDocument } from '../../http/input/own-documents';
import { Context } from '../../http/server/request-context';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { CancelRewind, RewindWebhookEndpoint } from './rewind-endpoint';
import { NothingInput, RewindInput, rewindSchema, rewindView } from './webhooks.dto';
import { type EndpointId, type MerchantId, type RewindId } from '../../kernel/aggregates';

const answer = { rewind: rewindSchema };

@Tag('Webhooks')
@Controller('v1/webhook-endpoints/:id')
export class WebhookRewindsController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  @Post('rewind')
  @Endpoint({
    summary: 'Send a range of the feed again',
    description:
      'Everything in the merchant’s feed after `from_cursor`, up to `to_cursor`, is sent to this endpoint again: the same ids and ' +
      'bytes, in order, one after another, alongside live events. Without `types`, the types that the endpoint subscribes to. At ' +
      'most 100,000 deliveries, and ten rewinds of one endpoint at a time; they wait for each other.',
    credential: 'merchant',
    status: 202,
    body: RewindInput,
    readsBodyItself: true,
    answer,
    errors: ['invalid_status_transition'],
  })
  async rewind(
    @Param('id') endpointId: EndpointId,
    @Body() body: Record<string, unknown>,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    const asked = { endpointId, merchantId, draft: readDraft(RewindInput, body) };
    const rewindId = await this.commands.execute(new RewindWebhookEndpoint(asked, context));
    return this.answer(rewindId, endpointId, merchantId);
  }

  @Get('rewinds/:rewindId')
  @Endpoint({ summary: 'Read the progress of a rewind', credential: 'merchant', answer })
  read(
    @Param('id') endpointId: EndpointId,
    @Param('rewindId') rewindId: RewindId,
    @Merchant() { merchantId }: MerchantCaller,
  ) {
    return this.answer(rewindId, endpointId, merchantId);
  }

  @Delete('rewinds/:rewindId')
  @Endpoint({
    summary: 'Cancel a rewind',
    description: 'What it has not sent yet is not sent. A rewind that has ended does not change.',
    credential: 'merchant',
    body: NothingInput,
    answer,
  })
  async cancel(
    @Param('id') endpointId: EndpointId,
    @Param('rewindId') rewindId: RewindId,
    @Body() _input: NothingInput,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    await this.commands.execute(new CancelRewind({ rewindId, endpointId, merchantId }, context));
    return this.answer(rewindId, endpointId, merchantId);
  }

  private async answer(rewindId: RewindId, endpoint_id: EndpointId, merchant_id: MerchantId) {
    const document = await ownDocument(this.readModel, webhookRewinds, rewindId, { merchant_id, endpoint_id });
    return { ok: true, rewind: rewindView(document) };
  }
}
