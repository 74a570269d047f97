import { Body, Controller, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Tag } from '../../api/openapi/described';
import { type WebhookDeliveryDocument, webhookDeliveries } from '../../../projections/webhook-deliveries.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { Merchant } from '../../access/session.guard';
import { type MerchantCaller } from '../../http/server/callers';
import { ownDocument, ownPage, pageSchema } from '../../http/input/own-documents';
import { Context } from '../../http/server/request-context';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { DeliverySubjects } from './delivery-subjects';
import {
  ListDeliveriesInput,
  NothingInput,
  waitsForSchema,
  webhookDeliverySchema,
  webhookDeliveryView,
} from './webhooks.dto';
import { RedeliverWebhook } from './redeliver-webhook';
import { type DeliveryId, type MerchantId } from '../../kernel/aggregates';

const answer = { webhook_delivery: webhookDeliverySchema };

@Tag('Webhooks')
@Controller('v1/webhook-deliveries')
export class WebhookDeliveriesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly subjects: DeliverySubjects,
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
    const { endpoint_id, status, subject_id } = input;
    if (subject_id !== undefined) return this.listOf(subject_id, input, merchantId);
    const by = endpoint_id === undefined ? 'by_merchant' : 'by_endpoint';
    const index = status === undefined ? by : `${by}_and_status`;
    const equals = [merchantId, endpoint_id, status].filter((value) => value !== undefined);
    const { documents, next_cursor } = await ownPage(this.readModel, webhookDeliveries, [index, ...equals], input);
    return { ok: true, webhook_deliveries: await this.views(documents), next_cursor };
  }

  @Get(':id')
  @Endpoint({ summary: 'Read a delivery with its attempts', credential: 'merchant', answer })
  read(@Param('id') deliveryId: DeliveryId, @Merchant() { merchantId }: MerchantCaller) {
    return this.answer(deliveryId, merchantId);
  }

  @Post(':id/redeliver')
  @Endpoint({
    summary: 'Send a delivery again',
    description:
      'It has the same id and bytes, whatever its status. The endpoint must be active. If an earlier message about the ' +
      'same payment request is still to be delivered, it goes first: `waits_for` names it, and it is sent at once too.',
    credential: 'merchant',
    status: 202,
    body: NothingInput,
    answer: { ...answer, waits_for: waitsForSchema },
    errors: ['invalid_status_transition'],
  })
  async redeliver(
    @Param('id') deliveryId: DeliveryId,
    @Body() _input: NothingInput,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    const waits_for = await this.commands.execute(new RedeliverWebhook(deliveryId, merchantId, context));
    return { ...(await this.answer(deliveryId, merchantId)), waits_for };
  }

  /** A payment request or connection has few deliveries, so the other filters are applied to the page. */
  private async listOf(subjectId: string, input: ListDeliveriesInput, merchantId: MerchantId) {
    const { endpoint_id, status } = input;
    const { documents, next_cursor } = await this.subjects.page(subjectId, merchantId, input);
    const wanted = documents.filter(
      (document) =>
        (endpoint_id === undefined || document.endpoint_id === endpoint_id) &&
        (status === undefined || document.status === status),
    );
    return { ok: true, webhook_deliveries: await this.views(wanted), next_cursor };
  }

  private async answer(deliveryId: DeliveryId, merchantId: MerchantId) {
    const document = await ownDocument(this.readModel, webhookDeliveries, deliveryId, { merchant_id: merchantId });
    const [webhook_delivery] = await this.views([document]);
    return { ok: true, webhook_delivery };
  }

  private async views(documents: readonly WebhookDeliveryDocument[]) {
    return (await this.subjects.named(documents)).map(webhookDeliveryView);
  }
}
