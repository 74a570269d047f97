import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { type MadeUnderKey } from '../../kernel/made-under-key';
import { type ContextContent, transactionContext } from './transaction-context';
import { type ConnectionId, type ContextId, idFor } from '../../kernel/aggregates';

export type DescribedTransaction = Readonly<{ contextId: ContextId; revised: boolean }>;

export class DescribeTransaction extends Command<DescribedTransaction> {
  constructor(
    readonly connectionId: ConnectionId,
    readonly transactionId: string,
    readonly content: ContextContent,
    readonly under: MadeUnderKey | undefined,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(DescribeTransaction)
export class DescribeTransactionHandler implements ICommandHandler<DescribeTransaction> {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({
    connectionId,
    transactionId,
    content,
    under,
    context,
  }: DescribeTransaction): Promise<DescribedTransaction> {
    const contextId = idFor.transactionContext(connectionId, transactionId);
    const command = { contextId, connectionId, transactionId, content, at: timestamp(this.clock.now()), under };
    const { events } = await this.commands.run(transactionContext, contextId, command, context);
    return { contextId, revised: events.length > 0 };
  }
}
