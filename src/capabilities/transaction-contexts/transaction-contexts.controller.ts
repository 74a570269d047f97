import { Body, Controller, Get, Inject, Param, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Tag } from '../../api/openapi/described';
import { type Response } from 'express';
import { transactionContexts, transactionContextView } from '../../../projections/transaction-contexts.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { Endpoint } from '../../api/openapi/endpoint.decorator';
import { Connection } from '../../access/connection.guard';
import { type ConnectionCaller } from '../../http/server/callers';
import { knownDocument } from '../../http/input/own-documents';
import { complete, readDraft } from '../../http/input/draft';
import { strayPayees, withoutRepeats } from '../../http/input/stray-payees';
import { CONFIG, type Config } from '../../platform/config';
import { Context } from '../../http/server/request-context';
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
      'No key of metadata may mean an address, a memo, a contract, an issuer or a payee.',
    credential: 'connection',
    scope: 'transaction_contexts.create',
    status: 201,
    again: 200,
    body: CreateTransactionContextInput,
    readsBodyItself: true,
    answer: { transaction_context: transactionContextSchema },
  })
  async describe(
    @Body() body: Record<string, unknown>,
    @Connection() { connectionId }: ConnectionCaller,
    @Context() context: CommandContext,
    @Res({ passthrough: true }) response: Response,
  ) {
    const draft = readDraft(CreateTransactionContextInput, body);
    const { title, summary, items, reference_url, metadata } = body;
    // No payment is named yet: its network can only be one that is enabled here.
    const words = { title, summary, items, reference_url, metadata };
    const issues = withoutRepeats([...draft.issues, ...strayPayees(words, this.config.enabledNetworks)]);
    const input = complete({ ...draft, issues });
    const transactionId = input.transaction_id ?? newId('txn');
    const { contextId, revised } = await this.commands.execute(
      new DescribeTransaction(connectionId, transactionId, contentOf(input), context),
    );
    if (!revised) response.status(200);
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
