import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { agentInUse, askerIsRevoked } from '../../access/agent-in-use';
import { approvedConnection, type ConnectionView } from '../../access/connection-view';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { ConnectionTokens } from '../../access/connection-tokens';
import { deviceInUse } from '../../access/device-in-use';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { connectInvitation } from './connect-invitation';
import { OpenInvitedConnection } from './open-connection';
import { idFor, type InvitationId, type WalletDeviceId } from '../../kernel/aggregates';

export type Decision = Readonly<
  { kind: 'approve'; /** Null: all requested. */ scopes: readonly string[] | null } | { kind: 'reject' }
>;

/** The wallet's owner approves or rejects. After an approval, the connection exists before the response is sent. */
export class DecideOnInvitation extends Command<void> {
  constructor(
    readonly invitationId: InvitationId,
    readonly deviceId: WalletDeviceId,
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
    const connectionId = idFor.connectionFrom(invitationId);
    if (decision.kind === 'approve') await this.assertAskerStands(invitationId, deviceId);
    const command = decision.kind === 'reject' ? { ...decision, ...named } : { ...decision, ...named, connectionId };
    const { state } = await this.commands.run(connectInvitation, invitationId, command, context);
    if (state.status === 'expired') throw refuse('invitation_expired');
    if (decision.kind === 'approve') await this.opening.of(invitationId);
  }

  /** A claim ends with the credential it was made with: refuse, so that the person does not approve it in vain. */
  private async assertAskerStands(invitationId: InvitationId, deviceId: WalletDeviceId): Promise<void> {
    const { state } = await this.commands.fold(connectInvitation, invitationId);
    if (state.status !== 'claimed' || state.claim === null || state.deviceId !== deviceId) return;
    const { agent_id, credential_id: credentialId, claimed_at: askedAt } = state.claim;
    const { state: agent } = await this.commands.fold(agentInUse, agent_id);
    if (askerIsRevoked(agent, { credentialId, askedAt })) throw refuse('credential_revoked');
  }
}

export type ExchangedConnection = Readonly<{ connection: ConnectionView; connectionToken: string }>;

/** The claimant fetches its connection token. Of all who try, exactly one gets it. */
export class ExchangeInvitation extends Command<ExchangedConnection> {
  constructor(
    readonly invitationId: InvitationId,
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
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ invitationId, context }: ExchangeInvitation): Promise<ExchangedConnection> {
    const before = await this.commands.fold(connectInvitation, invitationId);
    if (before.state.status === 'claimed') await this.refuseWithoutWallet(before.state.deviceId);
    // The process that approved may have died before creating the connection; create it before using up the exchange.
    const isOpen = before.state.status === 'approved';
    if (isOpen) await this.opening.of(invitationId);
    const connectionId = idFor.connectionFrom(invitationId);
    // Read before the exchange is used up: a read model that lags or is away must not cost the token.
    const connection = isOpen ? await approvedConnection(this.readModel, connectionId) : undefined;
    const command = { kind: 'exchange', invitationId, isOpen, at: timestamp(this.clock.now()) } as const;
    const { state, events } = await this.commands.run(connectInvitation, invitationId, command, context, {
      untilReadable: 'if possible',
    });
    if (state.status === 'expired') throw refuse('invitation_expired');
    if (connection === undefined || events[0]?.type !== 'ConnectInvitationExchanged') throw refuse('already_exchanged');
    return { connection, connectionToken: await this.tokens.current(connectionId) };
  }

  /** Only that wallet could decide: if it was removed since the claim, the agent would wait in vain. */
  private async refuseWithoutWallet(deviceId: WalletDeviceId): Promise<void> {
    const { state: device } = await this.commands.fold(deviceInUse, deviceId);
    if (device === undefined) throw refuse('invitation_rejected');
  }
}
