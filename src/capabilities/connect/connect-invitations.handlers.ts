import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { ConnectionTokens } from '../../access/connection-tokens';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { derivedId } from '../../kernel/ids';
import { connectInvitation } from './connect-invitation';
import { OpenInvitedConnection } from './open-connection';

export type Decision = Readonly<
  { kind: 'approve'; /** Null: all that were requested. */ scopes: readonly string[] | null } | { kind: 'reject' }
>;

/** The person behind the wallet says yes or no. With a yes the connection is there when the answer is. */
export class DecideOnInvitation extends Command<void> {
  constructor(
    readonly invitationId: string,
    readonly deviceId: string,
    readonly decision: Decision,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(DecideOnInvitation)
export class DecideOnInvitationHandler implements ICommandHandler<DecideOnInvitation> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly opening: OpenInvitedConnection,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ invitationId, deviceId, decision, context }: DecideOnInvitation): Promise<void> {
    const named = { invitationId, deviceId, at: timestamp(this.clock.now()) };
    const connectionId = derivedId('con', invitationId);
    const command = decision.kind === 'reject' ? { ...decision, ...named } : { ...decision, ...named, connectionId };
    const { state } = await this.commands.run(connectInvitation, invitationId, command, context);
    if (state.status === 'expired') throw refuse('invitation_expired');
    if (decision.kind === 'approve') await this.opening.of(invitationId);
  }
}

export type ExchangedConnection = Readonly<{ connectionId: string; connectionToken: string }>;

/** The claimant fetches its connection token. Of all who try, one gets it. */
export class ExchangeInvitation extends Command<ExchangedConnection> {
  constructor(
    readonly invitationId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ExchangeInvitation)
export class ExchangeInvitationHandler implements ICommandHandler<ExchangeInvitation> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly opening: OpenInvitedConnection,
    private readonly tokens: ConnectionTokens,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ invitationId, context }: ExchangeInvitation): Promise<ExchangedConnection> {
    const before = await this.commands.fold(connectInvitation, invitationId);
    // Whoever approved may have died before the connection was made; it is made before the exchange is spent.
    if (before.state.status === 'approved') await this.opening.of(invitationId);
    const command = { kind: 'exchange', invitationId, at: timestamp(this.clock.now()) } as const;
    const { state, events } = await this.commands.run(connectInvitation, invitationId, command, context);
    if (state.status === 'expired') throw refuse('invitation_expired');
    const [exchanged] = events;
    if (exchanged?.type !== 'ConnectInvitationExchanged') throw refuse('already_exchanged');
    const { connection_id: connectionId } = exchanged.data;
    return { connectionId, connectionToken: await this.tokens.current(connectionId) };
  }
}
