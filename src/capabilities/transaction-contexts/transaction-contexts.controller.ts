import { Body, Controller, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Tag } from '../../api/openapi/described';
import { type Response } from 'express';
import { transactionContexts, transactionContextView } from '../../../projections/transaction-contexts.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { Connection } from '../../access/connection.guard';
import { type ConnectionCaller } from '../../http/server/callers';
import { knownDocument } from '../../http/input/own-documents';
import { complete } from '../../http/input/draft';
import { readKeyedDraft, sayMade } from '../../http/input/keyed-draft';
import { strayPayees, withoutRepeats } from '../../http/input/stray-payees';
import { CONFIG, type Config } from '../../platform/config';
import { Context, type SvcRequest } from '../../http/server/request-context';
import { newId } from '../../kernel/ids';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { contentOf, CreateTransactionContextInput, transactionContextSchema } from './transaction-contexts.dto';
import { DescribeTransaction } from './transaction-contexts.handlers';
import { type ContextId, idFor } from '../../kernel/aggregates';

@Tag('Transaction contexts')
@Controller('v1/transaction-contexts')
export class TransactionContextsController {
  constructor(
    private readonly commands: CommandBus,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Post()
  @Endpoint({
    summary: 'Describe a transaction for the person who reviews it',
    description:
      'The same transaction_id again adds a revision, answered with 201; the same content again adds none, answered with 200. ' +
      'Nor does a call that is repeated under its idempotency key, whatever was added since. ' +
      'No key of metadata may mean an address, a memo, a contract, an issuer or a payee.',
    credential: 'connection',
    scope: 'transaction_contexts.create',
    status: 201,
    keyed: true,
    body: CreateTransactionContextInput,
    readsBodyItself: true,
    answer: { transaction_context: transactionContextSchema },
  })
  async describe(
    @Body() body: Record<string, unknown>,
    @Req() { headers }: SvcRequest,
    @Connection() { connectionId }: ConnectionCaller,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) response: Response,
  ) {
    const draft = readKeyedDraft(CreateTransactionContextInput, body, headers);
    const { title, summary, items, reference_url, metadata } = body;
    // No payment is named yet: its network can only be one that is enabled here.
    const words = { title, summary, items, reference_url, metadata };
    const issues = withoutRepeats([...draft.issues, ...strayPayees(words, this.config.enabledNetworks)]);
    const input = complete({ ...draft, issues });
    const { under } = draft;
    const generated = () => (under ? idFor.underKey('txn', connectionId, under.idempotency_key) : newId('txn'));
    const transactionId = input.transaction_id ?? generated();
    const { contextId, revised } = await this.commands.execute(
      new DescribeTransaction(connectionId, transactionId, contentOf(input), under, context),
    );
    sayMade(response, !revised, `/v1/transaction-contexts/${encodeURIComponent(transactionId)}`);
    return { ok: true, transaction_context: await this.viewOf(contextId) };
  }

  @Get(':transactionId')
  @Endpoint({
    summary: 'Read the latest revision of a transaction’s context',
    credential: 'connection',
    scope: 'transaction_contexts.read',
    answer: { transaction_context: transactionContextSchema },
  })
  async read(@Param('transactionId') transactionId: string, @Connection() { connectionId }: ConnectionCaller) {
    return { ok: true, transaction_context: await this.viewOf(idFor.transactionContext(connectionId, transactionId)) };
  }

  private async viewOf(contextId: ContextId) {
    return transactionContextView(await knownDocument(this.readModel, transactionContexts, contextId));
  }
}
