import { Body, Controller, Delete, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Tag } from '../../api/openapi/described';
import { apiKeys } from '../../../projections/api-keys.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { QUOTAS, Quota } from '../../http/server/quota.guard';
import { Merchant } from '../../access/session.guard';
import { type MerchantCaller } from '../../http/server/callers';
import { ownDocument, ownPage, pageSchema } from '../../http/input/own-documents';
import { PageInput } from '../../http/input/pagination';
import { Context } from '../../http/server/request-context';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { newTokenFor } from '../../platform/secrets/bound-tokens';
import { hashToken, tokenPrefix } from '../../platform/secrets/tokens';
import { apiKeySchema, apiKeyView, CreateApiKeyInput, secretSchema, DEFAULT_NAME } from './api-keys.dto';
import { ChangeApiKey } from './api-keys.handlers';
import { type ApiKeyId, type MerchantId } from '../../kernel/aggregates';

/** These characters only repeat the key's id, so showing them reveals nothing that grants access. */
const SHOWN_CHARACTERS = tokenPrefix.apiKey.length + 12;

@Tag('API keys')
@Controller('v1/api-keys')
export class ApiKeysController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  @Quota(apiKeys, QUOTAS.apiKeys)
  @Endpoint({
    summary: 'Create a project API key',
    description: 'For the agent-payment surface. The secret is shown only in this answer.',
    credential: 'merchant',
    status: 201,
    body: CreateApiKeyInput,
    answer: { api_key: apiKeySchema, secret: secretSchema },
    errors: ['limit_reached'],
  })
  async create(
    @Body() { name = DEFAULT_NAME }: CreateApiKeyInput,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    const apiKeyId = newId('key');
    const secret = newTokenFor('apiKey', apiKeyId);
    const about = { name, prefix: secret.slice(0, SHOWN_CHARACTERS), tokenHash: hashToken(secret), at: this.now() };
    await this.commands.execute(new ChangeApiKey({ kind: 'create', apiKeyId, merchantId, ...about }, context));
    return { ok: true, api_key: await this.owned(apiKeyId, merchantId), secret };
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
