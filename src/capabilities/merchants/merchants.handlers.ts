import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { staleVersion } from '../../http/input/draft';
import { type Issue, refuseInput } from '../../kernel/errors';
import { CommandRunner } from '../../platform/event-store/run-command';
import { merchant, type MerchantCommand } from './merchant';

export class RenameMerchant extends Command<void> {
  constructor(
    readonly command: Extract<MerchantCommand, { kind: 'rename' }>,
    readonly context: CommandContext,
    /** What is wrong with the input; if there is anything, nothing is changed. */
    readonly issues: readonly Issue[] = [],
  ) {
    super();
  }
}

@CommandHandler(RenameMerchant)
export class RenameMerchantHandler implements ICommandHandler<RenameMerchant> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ command, context, issues }: RenameMerchant): Promise<void> {
    if (issues.length > 0) {
      const { state } = await this.commands.fold(merchant, command.merchantId);
      throw refuseInput([...issues, ...staleVersion(command, state ?? undefined)]);
    }
    await this.commands.run(merchant, command.merchantId, command, context);
  }
}
