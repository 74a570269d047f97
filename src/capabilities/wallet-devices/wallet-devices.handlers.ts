import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { EVENT_STORE, type EventStore } from '../../platform/event-store/event-store.port';
import { Reactors } from '../../platform/reacting/reactors';
import { CommandRunner } from '../../platform/event-store/run-command';
import { streamName } from '../../platform/event-store/stream-name';
import { walletDevice, type WalletDeviceCommand } from './wallet-device';

/** Any of the device's commands; the decider decides which are allowed. */
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
  constructor(
    private readonly commands: CommandRunner,
    private readonly reactors: Reactors,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  async execute({ command, context }: ChangeWalletDevice): Promise<void> {
    const { version } = await this.commands.run(walletDevice, command.deviceId, command, context);
    if (command.kind !== 'remove') return;
    // Once the response says that the device is removed, its connections must be revoked, too.
    const [removed] = await this.store.readStream(streamName(walletDevice.category, command.deviceId), version - 1);
    if (removed !== undefined) await this.reactors.followUp(removed);
  }
}
