import { Body, Controller, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { webhookDeliveries } from '../../../projections/webhook-deliveries.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { Endpoint } from '../../http/openapi/endpoint.decorator';
import { Merchant, type MerchantCaller } from '../../access/session.guard';
import { ownDocument, ownPage, pageSchema } from '../../http/input/own-documents';
import { Context } from '../../http/server/request-context';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { ListDeliveriesInput, NothingInput, webhookDeliverySchema, webhookDeliveryView } from './webhooks.dto';
import { RedeliverWebhook } from './webhooks.handlers';

const answer = { webhook_delivery: webhookDeliverySchema };

@ApiTags('Webhooks')
@Controller('v1/webhook-deliveries')
export class WebhookDeliveriesController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  @Get()
  @Endpoint({
    summary: 'List deliveries with their attempts, newest first',
    description: 'Status code, duration and kind of error of each attempt; neither bodies nor secrets.',
    credential: 'merchant',
    query: ListDeliveriesInput,
    answer: pageSchema('webhook_deliveries', webhookDeliverySchema),
  })
  async list(@Query() input: ListDeliveriesInput, @Merchant() { merchantId }: MerchantCaller) {
    const { endpoint_id, status } = input;
    const by = endpoint_id === undefined ? 'by_merchant' : 'by_endpoint';
    const index = status === undefined ? by : `${by}_and_status`;
    const equals = [merchantId, endpoint_id, status].filter((value) => value !== undefined);
    const { documents, next_cursor } = await ownPage(this.readModel, webhookDeliveries, [index, ...equals], input);
    return { ok: true, webhook_deliveries: documents.map(webhookDeliveryView), next_cursor };
  }

  @Get(':id')
  @Endpoint({ summary: 'Read a delivery with its attempts', credential: 'merchant', answer })
  read(@Param('id') deliveryId: string, @Merchant() { merchantId }: MerchantCaller) {
    return this.answer(deliveryId, merchantId);
  }

  @Post(':id/redeliver')
  @Endpoint({
    summary: 'Send a delivery again',
    description: 'Same id, same bytes, whatever became of it before. The endpoint must be active.',
    credential: 'merchant',
    status: 202,
    body: NothingInput,
    answer,
    errors: ['invalid_status_transition'],
  })
  async redeliver(
    @Param('id') deliveryId: string,
    @Body() _input: NothingInput,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    await this.commands.execute(new RedeliverWebhook(deliveryId, merchantId, context));
    return this.answer(deliveryId, merchantId);
  }

  private async answer(deliveryId: string, merchantId: string) {
    const document = await ownDocument(this.readModel, webhookDeliveries, deliveryId, { merchant_id: merchantId });
    return { ok: true, webhook_delivery: webhookDeliveryView(document) };
  }
}
