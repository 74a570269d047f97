import { Body, Controller, Delete, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Response } from 'express';
import { Tag } from '../../api/openapi/described';
import { apiKeys } from '../../../projections/api-keys.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { QUOTAS, Quota } from '../../http/server/quota.guard';
import { Merchant } from '../../access/session.guard';
import { type MerchantCaller } from '../../http/server/callers';
import { ownDocument, ownPage, pageSchema } from '../../http/input/own-documents';
import { PageInput } from '../../http/input/pagination';
import { complete } from '../../http/input/draft';
import { readKeyedDraft, sayMade } from '../../http/input/keyed-draft';
import { Context, type SvcRequest } from '../../http/server/request-context';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { apiKeySchema, apiKeyView, CreateApiKeyInput, secretSchema, DEFAULT_NAME } from './api-keys.dto';
import { ChangeApiKey, CreateApiKey } from './api-keys.handlers';
import { type ApiKeyId, type MerchantId } from '../../kernel/aggregates';

@Tag('API keys')
@Controller('v1/api-keys')
export class ApiKeysController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  @Quota(apiKeys, QUOTAS.apiKeys, 'key', 'by_merchant_and_status', ({ caller }) => [
    [caller?.merchant?.merchantId, 'active'],
  ])
  @Endpoint({
    summary: 'Create a project API key',
    description:
      'For the agent-payment surface. The secret is shown in this answer, and for ten minutes in that of the same call ' +
      'under the same idempotency key; later ones leave it out.',
    credential: 'merchant',
    status: 201,
    body: CreateApiKeyInput,
    readsBodyItself: true,
    keyed: true,
    answer: { api_key: apiKeySchema },
    optional: { secret: secretSchema },
    errors: ['limit_reached'],
  })
  async create(
    @Body() body: Record<string, unknown>,
    @Req() { headers }: SvcRequest,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) response: Response,
  ) {
    const draft = readKeyedDraft(CreateApiKeyInput, body, headers);
    const { name = DEFAULT_NAME } = complete(draft);
    const { id, replayed, secret } = await this.commands.execute(
      new CreateApiKey(merchantId, name, draft.under, context),
    );
    sayMade(response, replayed, `/v1/api-keys/${id}`);
    return { ok: true, api_key: await this.owned(id, merchantId), ...(secret === undefined ? {} : { secret }) };
  }

  @Get()
  @Endpoint({
    summary: 'List project API keys, newest first',
    credential: 'merchant',
    query: PageInput,
    answer: pageSchema('api_keys', apiKeySchema),
  })
  async list(@Query() input: PageInput, @Merchant() { merchantId }: MerchantCaller) {
    const { documents, next_cursor } = await ownPage(this.readModel, apiKeys, ['by_merchant', merchantId], input);
    return { ok: true, api_keys: documents.map(apiKeyView), next_cursor };
  }

  @Get(':id')
  @Endpoint({ summary: 'Read a project API key', credential: 'merchant', answer: { api_key: apiKeySchema } })
  async read(@Param('id') apiKeyId: ApiKeyId, @Merchant() { merchantId }: MerchantCaller) {
    return { ok: true, api_key: await this.owned(apiKeyId, merchantId) };
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Revoke a project API key',
    description: 'Final: it stops working from this answer on.',
    credential: 'merchant',
    answer: { api_key: apiKeySchema },
  })
  async revoke(
    @Param('id') apiKeyId: ApiKeyId,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    const command = { kind: 'revoke', apiKeyId, merchantId, at: this.now() } as const;
    await this.commands.execute(new ChangeApiKey(command, context));
    return { ok: true, api_key: await this.owned(apiKeyId, merchantId) };
  }

  private async owned(apiKeyId: ApiKeyId, merchantId: MerchantId) {
    return apiKeyView(await ownDocument(this.readModel, apiKeys, apiKeyId, { merchant_id: merchantId }));
  }

  private now(): string {
    return timestamp(this.clock.now());
  }
}
