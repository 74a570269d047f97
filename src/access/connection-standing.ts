import { Inject, Injectable } from '@nestjs/common';
import { type ConnectionCreated } from '../events/connection.events';
import { CommandRunner } from '../platform/event-store/run-command';
import { CLOCK, type Clock } from '../kernel/clock';
import { type ErrorCode } from '../kernel/error-catalogue';
import { refuse } from '../kernel/errors';
import { agentInUse, type AgentInUse, isCompromised, mayAct } from './agent-in-use';
import { connectionInUse, type KnownConnection } from './connection-in-use';
import { deviceInUse } from './device-in-use';
import { type Scope } from '../kernel/scopes';
import { type ConnectionId, isIdIn, type WalletDeviceId, type MerchantId } from '../kernel/aggregates';

export type ConnectionStanding = Readonly<{
  agreed: ConnectionCreated['data'];
  /** What it may do now: granted by the wallet and still allowed for the agent. */
  scopes: readonly string[];
  /** Why the connection must not be used now; undefined while it may be used. */
  refusal: ErrorCode | undefined;
}>;

/** Whether a connection may be used now, for callers that name it instead of holding its token. */
@Injectable()
export class ConnectionStandings {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Undefined if it does not exist or belongs to another merchant: callers cannot tell the two apart. */
  of(connectionId: ConnectionId | undefined, merchantId: MerchantId): Promise<ConnectionStanding | undefined> {
    return this.find(connectionId, ({ merchant_id }) => merchant_id === merchantId);
  }

  /** The same for the wallet that agreed to it. */
  ofDevice(connectionId: ConnectionId | undefined, deviceId: WalletDeviceId): Promise<ConnectionStanding | undefined> {
    return this.find(connectionId, ({ device_id }) => device_id === deviceId);
  }

  private async find(
    connectionId: ConnectionId | undefined,
    isOwn: (agreed: ConnectionCreated['data']) => boolean,
  ): Promise<ConnectionStanding | undefined> {
    if (!isIdIn('connection', connectionId)) return undefined;
    const { state: connection } = await this.commands.fold(connectionInUse, connectionId);
    if (connection.status === 'unknown' || !isOwn(connection.agreed)) return undefined;
    const { agreed } = connection;
    const [{ state: agent }, { state: device }] = await Promise.all([
      this.commands.fold(agentInUse, agreed.agent_id),
      this.commands.fold(deviceInUse, agreed.device_id),
    ]);
    const scopes = scopesOver(connection, agent);
    if (device === undefined) return { agreed, scopes, refusal: 'connection_revoked' };
    return { agreed, scopes, refusal: refusalOver(connection, agent, this.clock.now()) };
  }
}

export function assertScope(scopes: readonly string[], needed: Scope): void {
  if (!scopes.includes(needed)) throw refuse('insufficient_scope', { details: { required_scope: needed } });
}

export const scopesOver = ({ agreed }: KnownConnection, { allowedScopes }: AgentInUse): readonly string[] =>
  agreed.scopes.filter((scope) => allowedScopes.includes(scope));

/** Why a connection must not be used now, given its own state and its agent's; undefined while it may be used. */
export function refusalOver(connection: KnownConnection, agent: AgentInUse, now: Date): ErrorCode | undefined {
  if (connection.ended === 'credential_revoked') return 'credential_revoked';
  if (connection.status === 'revoked') return 'connection_revoked';
  if (isCompromised(agent, connection)) return 'credential_revoked';
  if (connection.status === 'paused') return 'connection_paused';
  return mayAct(agent, now) ? undefined : 'agent_not_active';
}
