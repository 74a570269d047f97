import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../event-store/event-codec';
import { CommandRunner } from '../event-store/run-command';
import { walletDevice, type WalletDeviceCommand } from './wallet-device';

/** Any of the device's commands; what it may do is decided by the decider. */
export class ChangeWalletDevice extends Command<void> {
  constructor(
    readonly command: WalletDeviceCommand,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangeWalletDevice)
export class ChangeWalletDeviceHandler implements ICommandHandler<ChangeWalletDevice> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ command, context }: ChangeWalletDevice): Promise<void> {
    await this.commands.run(walletDevice, command.deviceId, command, context);
  }
}
