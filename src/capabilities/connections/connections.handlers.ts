import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { ServiceSecret } from '../../platform/secrets/service-secret';
import { ConnectionTokens } from '../../access/connection-tokens';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { connection, type ConnectionCommand } from './connection';
import { type ConnectionId, type WalletDeviceId } from '../../kernel/aggregates';

/** Any of the connection's commands; the decider decides which are allowed. */
export class ChangeConnection extends Command<void> {
  constructor(
    readonly command: ConnectionCommand,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangeConnection)
export class ChangeConnectionHandler implements ICommandHandler<ChangeConnection> {
  constructor(private readonly commands: CommandRunner) {}

  async execute({ command, context }: ChangeConnection): Promise<void> {
    await this.commands.run(connection, command.connectionId, command, context);
  }
}

/** Revokes the current token and returns the next one. */
export class RotateConnectionToken extends Command<string> {
  constructor(
    readonly connectionId: ConnectionId,
    readonly deviceId: WalletDeviceId,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RotateConnectionToken)
export class RotateConnectionTokenHandler implements ICommandHandler<RotateConnectionToken> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly tokens: ConnectionTokens,
    private readonly secret: ServiceSecret,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ connectionId, deviceId, context }: RotateConnectionToken): Promise<string> {
    const { state: before } = await this.commands.fold(connection, connectionId);
    if (before.status === 'unknown') throw refuse('resource_not_found');
    const generation = before.generation + 1;
    const at = timestamp(this.clock.now());
    const { number: secret } = this.secret;
    const command = { kind: 'rotate-token', connectionId, deviceId, generation, secret, at } as const;
    await this.commands.run(connection, connectionId, command, context);
    return this.tokens.current(connectionId);
  }
}
