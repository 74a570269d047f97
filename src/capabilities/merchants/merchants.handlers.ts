import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { merchant, type MerchantCommand } from './merchant';

export class RenameMerchant extends Command<void> {
  constructor(
    readonly command: Extract<MerchantCommand, { kind: 'rename' }>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RenameMerchant)
export class RenameMerchantHandler implements ICommandHandler<RenameMerchant> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ command, context }: RenameMerchant): Promise<void> {
    await this.commands.run(merchant, command.merchantId, command, context);
  }
}
