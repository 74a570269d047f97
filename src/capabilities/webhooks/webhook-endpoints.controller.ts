import { readDraft } from '../../http/input/draft';
import { readKeyedDraft, sayMade } from '../../http/input/keyed-draft';
import { normalTime } from '../../http/input/checks';
import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type Response } from 'express';
import { Tag } from '../../api/openapi/described';
import { webhookEndpoints } from '../../../projections/webhook-endpoints.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { Merchant } from '../../access/session.guard';
import { type MerchantCaller } from '../../http/server/callers';
import { ownDocument, ownPage, pageSchema } from '../../http/input/own-documents';
import { PageInput } from '../../http/input/pagination';
import { Context, type SvcRequest } from '../../http/server/request-context';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { RecoverDeliveries } from './recover-deliveries';
import { TestWebhookEndpoint } from './test-endpoint';
import { VerifyWebhookEndpoint } from './verify-endpoint';
import {
  ChangeWebhookEndpointInput,
  countSchema,
  CreateWebhookEndpointInput,
  NothingInput,
  RecoverInput,
  secretSchema,
  testResultSchema,
  webhookEndpointSchema,
  webhookEndpointView,
} from './webhooks.dto';
import { CreateWebhookEndpoint } from './create-webhook-endpoint';
import { ChangeWebhookEndpoint, RotateWebhookSecret } from './webhooks.handlers';
import { type EndpointId, type MerchantId } from '../../kernel/aggregates';

const answer = { webhook_endpoint: webhookEndpointSchema };

@Tag('Webhooks')
@Controller('v1/webhook-endpoints')
export class WebhookEndpointsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Create a webhook endpoint',
    description:
      'It receives nothing until it is verified. The secret is shown in this answer, and for ten minutes in that of the ' +
      'same call under the same idempotency key; later ones leave it out.',
    credential: 'merchant',
    status: 201,
    body: CreateWebhookEndpointInput,
    readsBodyItself: true,
    keyed: true,
    answer,
    optional: { secret: secretSchema },
    errors: ['destination_not_allowed'],
  })
  async create(
    @Body() body: Record<string, unknown>,
    @Req() { headers }: SvcRequest,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) response: Response,
  ) {
    const draft = readKeyedDraft(CreateWebhookEndpointInput, body, headers);
    const { id, replayed, secret } = await this.commands.execute(new CreateWebhookEndpoint(draft, merchantId, context));
    sayMade(response, replayed, `/v1/webhook-endpoints/${id}`);
    return { ...(await this.answer(id, merchantId)), ...(secret === undefined ? {} : { secret }) };
  }

  @Get()
  @Endpoint({
    summary: 'List webhook endpoints, newest first',
    credential: 'merchant',
    query: PageInput,
    answer: pageSchema('webhook_endpoints', webhookEndpointSchema),
  })
  async list(@Query() input: PageInput, @Merchant() { merchantId }: MerchantCaller) {
    const own = ['by_merchant', merchantId] as const;
    const { documents, next_cursor } = await ownPage(this.readModel, webhookEndpoints, own, input);
    return { ok: true, webhook_endpoints: documents.map(webhookEndpointView), next_cursor };
  }

  @Get(':id')
  @Endpoint({ summary: 'Read a webhook endpoint', credential: 'merchant', answer })
  read(@Param('id') endpointId: EndpointId, @Merchant() { merchantId }: MerchantCaller) {
    return this.answer(endpointId, merchantId);
  }

  @Post(':id/verify')
  @Endpoint({
    summary: 'Verify a webhook endpoint',
    description:
      'Sends a signed webhook.verification message; a 2xx answer whose JSON returns data.challenge as challenge makes ' +
      'the endpoint active.',
    credential: 'merchant',
    limit: 'domain_proof',
    body: NothingInput,
    answer,
    errors: ['webhook_verification_failed', 'destination_not_allowed', 'version_conflict'],
  })
  async verify(
    @Param('id') endpointId: EndpointId,
    @Body() _input: NothingInput,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    await this.commands.execute(new VerifyWebhookEndpoint(endpointId, merchantId, context));
    return this.answer(endpointId, merchantId);
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Change a webhook endpoint',
    description: 'A new url must be verified before anything is sent to it; messages that wait until then are kept.',
    credential: 'merchant',
    body: ChangeWebhookEndpointInput,
    readsBodyItself: true,
    answer,
    errors: ['version_conflict', 'invalid_status_transition', 'destination_not_allowed'],
  })
  async change(
    @Param('id') endpointId: EndpointId,
    @Body() body: Record<string, unknown>,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    const { issues, sound } = readDraft(ChangeWebhookEndpointInput, body);
    const { version = 0, url, events, description, status } = sound;
    const about = { endpointId, merchantId, version, url, events, description, status, at: this.now() };
    await this.commands.execute(new ChangeWebhookEndpoint({ kind: 'change', ...about }, context, issues));
    return this.answer(endpointId, merchantId);
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Delete a webhook endpoint',
    description: 'Final. Deliveries still to be sent to it are cancelled.',
    credential: 'merchant',
    body: NothingInput,
    answer: {},
  })
  async remove(
    @Param('id') endpointId: EndpointId,
    @Body() _input: NothingInput,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    const command = { kind: 'delete', endpointId, merchantId, at: this.now() } as const;
    await this.commands.execute(new ChangeWebhookEndpoint(command, context));
    return { ok: true };
  }

  @Post(':id/rotate-secret')
  @Endpoint({
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'Each replaced secret also signs for 24 hours, the latest ten of them. The new one is shown in this answer ' +
      'and never again.',
    credential: 'merchant',
    body: NothingInput,
    answer: { ...answer, secret: secretSchema },
  })
  async rotate(
    @Param('id') endpointId: EndpointId,
    @Body() _input: NothingInput,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    const secret = await this.commands.execute(new RotateWebhookSecret(endpointId, merchantId, context));
    return { ...(await this.answer(endpointId, merchantId)), secret };
  }

  @Post(':id/recover')
  @Endpoint({
    summary: 'Send undelivered messages again',
    description:
      'All deliveries since the given time that have failed or wait for another attempt start a new round of attempts; `count` is ' +
      'their number. The work continues after the answer.',
    credential: 'merchant',
    status: 202,
    body: RecoverInput,
    answer: { ...answer, count: countSchema },
    errors: ['invalid_status_transition'],
  })
  async recover(
    @Param('id') endpointId: EndpointId,
    @Body() input: RecoverInput,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    const since = normalTime(input.since);
    const about = { endpointId, merchantId, recoveryId: newId('req'), since, at: this.now() };
    const count = await this.commands.execute(new RecoverDeliveries({ kind: 'recover', ...about }, context));
    return { ...(await this.answer(endpointId, merchantId)), count };
  }

  @Post(':id/test')
  @Endpoint({
    summary: 'Send a test message',
    description:
      'A signed webhook.test message, sent at once, whatever the status of the endpoint; the answer says what came back. It is ' +
      'sent once and recorded nowhere.',
    credential: 'merchant',
    limit: 'domain_proof',
    body: NothingInput,
    answer: { test: testResultSchema },
  })
  async test(
    @Param('id') endpointId: EndpointId,
    @Body() _input: NothingInput,
    @Merchant() { merchantId }: MerchantCaller,
  ) {
    return { ok: true, test: await this.queries.execute(new TestWebhookEndpoint(endpointId, merchantId)) };
  }

  private now(): string {
    return timestamp(this.clock.now());
  }

  private async answer(endpointId: EndpointId, merchantId: MerchantId) {
    const document = await ownDocument(this.readModel, webhookEndpoints, endpointId, { merchant_id: merchantId });
    return { ok: true, webhook_endpoint: webhookEndpointView(document) };
  }
}
