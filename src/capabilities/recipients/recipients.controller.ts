import { Body, Controller, Get, Inject, Param, Post, Query, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Response } from 'express';
import { Tag } from '../../api/openapi/described';
import { type RecipientDocument, recipients, recipientsProjection } from '../../../projections/recipients.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { AsOfInput } from '../../http/input/as-of';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { QUOTAS, Quota } from '../../http/server/quota.guard';
import { Merchant } from '../../access/session.guard';
import { type MerchantCaller } from '../../http/server/callers';
import { ownDocument, ownPage, pageSchema } from '../../http/input/own-documents';
import { PageInput } from '../../http/input/pagination';
import { readKeyedDraft, sayMade } from '../../http/input/keyed-draft';
import { Context, type SvcRequest } from '../../http/server/request-context';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { History } from '../../platform/read-model/history';
import { complete, readDraft } from '../../http/input/draft';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import {
  ActivateVersionInput,
  AddVersionInput,
  CreateRecipientInput,
  evidenceSchema,
  factsOf,
  recipientSchema,
  recipientVersionSchema,
  recipientView,
  RetireVersionInput,
  VerifyVersionInput,
  versionIn,
} from './recipients.dto';
import {
  ActivateRecipientVersion,
  AddRecipient,
  AddRecipientVersion,
  RetireRecipientVersion,
  VerifyRecipientVersion,
} from './recipients.handlers';
import { idFor, type MerchantId, type RecipientId, type RecipientVersionId } from '../../kernel/aggregates';

const answer = { recipient: recipientSchema, recipient_version: recipientVersionSchema };

@Tag('Recipients')
@Controller('v1/recipients')
export class RecipientsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly history: History,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Post()
  @Quota(recipients, QUOTAS.recipients, 'rcp')
  @Endpoint({
    summary: 'Create a recipient',
    description:
      'The payee’s network, asset, address, memo, contract and issuer are fixed in its first version. Nothing can be ' +
      'paid to it before that version was verified and activated.',
    credential: 'merchant',
    status: 201,
    body: CreateRecipientInput,
    readsBodyItself: true,
    keyed: true,
    answer,
    errors: ['limit_reached'],
  })
  async create(
    @Body() body: Readonly<Record<string, unknown>>,
    @Req() { headers }: SvcRequest,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) response: Response,
  ) {
    const draft = readKeyedDraft(CreateRecipientInput, body, headers);
    const input = complete(draft);
    const { under } = draft;
    const key = under?.idempotency_key;
    const recipientId = key === undefined ? newId('rcp') : idFor.underKey('rcp', merchantId, key);
    const recipientVersionId = key === undefined ? newId('rcv') : idFor.underKey('rcv', merchantId, key);
    const about = { recipientId, merchantId, name: input.name, recipientVersionId, facts: factsOf(input), under };
    const command = { kind: 'create', ...about, at: this.now() } as const;
    sayMade(response, await this.commands.execute(new AddRecipient(command, context)), `/v1/recipients/${recipientId}`);
    return this.answer(await this.owned(recipientId, merchantId), recipientVersionId);
  }

  @Get()
  @Endpoint({
    summary: 'List recipients, newest first',
    credential: 'merchant',
    query: PageInput,
    answer: pageSchema('recipients', recipientSchema),
  })
  async list(@Query() input: PageInput, @Merchant() { merchantId }: MerchantCaller) {
    const { documents, next_cursor } = await ownPage(this.readModel, recipients, ['by_merchant', merchantId], input);
    return { ok: true, recipients: documents.map(recipientView), next_cursor };
  }

  @Get(':id')
  @Endpoint({
    summary: 'Read a recipient with its versions',
    description: 'With `as_of` as it was at that moment.',
    credential: 'merchant',
    query: AsOfInput,
    answer: { recipient: recipientSchema },
  })
  async read(@Param('id') id: string, @Query() { as_of }: AsOfInput, @Merchant() { merchantId }: MerchantCaller) {
    const document = await this.owned(id, merchantId);
    if (as_of === undefined) return { ok: true, recipient: recipientView(document) };
    const then = await this.history.documentAt(recipientsProjection, recipients, 'recipient', id, as_of);
    return { ok: true, recipient: recipientView(then) };
  }

  @Post(':id/versions')
  @Endpoint({
    summary: 'Add a version with other payment facts',
    description: 'The active version stays active until another is activated.',
    credential: 'merchant',
    status: 201,
    body: AddVersionInput,
    readsBodyItself: true,
    keyed: true,
    answer,
    errors: ['version_conflict'],
  })
  async addVersion(
    @Param('id') recipientId: RecipientId,
    @Body() body: Readonly<Record<string, unknown>>,
    @Req() { headers }: SvcRequest,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) response: Response,
  ) {
    const draft = readKeyedDraft(AddVersionInput, body, headers);
    const { under } = draft;
    const recipientVersionId = under ? idFor.underKey('rcv', recipientId, under.idempotency_key) : newId('rcv');
    const about = { recipientId, merchantId, recipientVersionId, at: this.now(), under };
    const replayed = await this.commands.execute(new AddRecipientVersion(draft, about, context));
    sayMade(response, replayed, `/v1/recipients/${recipientId}`);
    return this.answer(await this.owned(recipientId, merchantId), recipientVersionId);
  }

  @Post(':id/verify')
  @Endpoint({
    summary: 'Verify a version with evidence',
    description:
      'Ties the version’s payment facts to one of your verified domains. Verifying again with the same proof returns ' +
      'the existing evidence.',
    credential: 'merchant',
    body: VerifyVersionInput,
    readsBodyItself: true,
    answer: { evidence: evidenceSchema, ...answer },
    errors: ['version_conflict', 'recipient_version_not_active', 'domain_proof_stale'],
  })
  async verify(
    @Param('id') recipientId: RecipientId,
    @Body() body: Record<string, unknown>,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    const about = { recipientId, merchantId, evidenceId: newId('evd'), at: this.now() };
    const draft = readDraft(VerifyVersionInput, body);
    const recipientVersionId = await this.commands.execute(new VerifyRecipientVersion(draft, about, context));
    const verified = this.answer(await this.owned(recipientId, merchantId), recipientVersionId);
    return { ...verified, evidence: verified.recipient_version.evidence };
  }

  @Post(':id/versions/:versionId/activate')
  @Endpoint({
    summary: 'Activate a verified version',
    description:
      'The evidence’s digest is computed again and must be the one you send. The previously active version is superseded. ' +
      'Only networks this service has enabled can be activated.',
    credential: 'merchant',
    body: ActivateVersionInput,
    readsBodyItself: true,
    answer,
    errors: ['version_conflict', 'network_not_enabled', 'recipient_version_not_active', 'domain_proof_stale'],
  })
  async activate(
    @Param('id') recipientId: RecipientId,
    @Param('versionId') recipientVersionId: RecipientVersionId,
    @Body() body: Readonly<Record<string, unknown>>,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    const about = { recipientId, merchantId, recipientVersionId, at: this.now() };
    const draft = readDraft(ActivateVersionInput, body);
    await this.commands.execute(new ActivateRecipientVersion(draft, about, context));
    return this.answer(await this.owned(recipientId, merchantId), recipientVersionId);
  }

  @Post(':id/versions/:versionId/retire')
  @Endpoint({
    summary: 'Retire a version for good',
    description:
      'It is never active again, and its evidence is spent. Where it was the active version, the recipient has none, and ' +
      'new payments are refused until another is activated. With `withdraw_pending` everything that is still pending on ' +
      'it is withdrawn.',
    credential: 'merchant',
    body: RetireVersionInput,
    readsBodyItself: true,
    answer,
    errors: ['version_conflict'],
  })
  async retire(
    @Param('id') recipientId: RecipientId,
    @Param('versionId') recipientVersionId: RecipientVersionId,
    @Body() body: Readonly<Record<string, unknown>>,
    @Merchant() { merchantId }: MerchantCaller,
    @Context() context: CommandContext,
  ) {
    const about = { recipientId, merchantId, recipientVersionId, at: this.now() };
    await this.commands.execute(new RetireRecipientVersion(readDraft(RetireVersionInput, body), about, context));
    return this.answer(await this.owned(recipientId, merchantId), recipientVersionId);
  }

  private now(): string {
    return timestamp(this.clock.now());
  }

  private owned(id: string, merchantId: MerchantId): Promise<RecipientDocument> {
    return ownDocument(this.readModel, recipients, id, { merchant_id: merchantId });
  }

  private answer(document: RecipientDocument, versionId: string) {
    return { ok: true, recipient: recipientView(document), recipient_version: versionIn(document, versionId) };
  }
}
