import { Inject, Injectable } from '@nestjs/common';
import { type ConnectionCreated } from '../capabilities/connections/connection.events';
import { CommandRunner } from '../platform/event-store/run-command';
import { CLOCK, type Clock } from '../kernel/clock';
import { type ErrorCode } from '../kernel/error-catalogue';
import { walletDevice } from '../capabilities/wallet-devices/wallet-device';
import { agentInUse, mayAct } from './agent-in-use';
import { connectionInUse } from './connection-in-use';

export type ConnectionStanding = Readonly<{
  agreed: ConnectionCreated['data'];
  /** Why nothing may be asked over it now; undefined while it may be used. */
  refusal: ErrorCode | undefined;
}>;

const CONNECTION_ID = /^con_[0-9A-HJKMNP-TV-Z]{26}$/;

/** Whether a connection may be used now, for callers that name it instead of holding its token. */
@Injectable()
export class ConnectionStandings {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Undefined if it does not exist or is another merchant's: the two look the same. */
  of(connectionId: string | undefined, merchantId: string): Promise<ConnectionStanding | undefined> {
    return this.find(connectionId, ({ merchant_id }) => merchant_id === merchantId);
  }

  /** The same for the wallet that agreed to it. */
  ofDevice(connectionId: string | undefined, deviceId: string): Promise<ConnectionStanding | undefined> {
    return this.find(connectionId, ({ device_id }) => device_id === deviceId);
  }

  private async find(
    connectionId: string | undefined,
    isOwn: (agreed: ConnectionCreated['data']) => boolean,
  ): Promise<ConnectionStanding | undefined> {
    if (connectionId === undefined || !CONNECTION_ID.test(connectionId)) return undefined;
    const { state: connection } = await this.commands.fold(connectionInUse, connectionId);
    if (connection.status === 'unknown' || !isOwn(connection.agreed)) return undefined;
    const { agreed, status } = connection;
    const [{ state: agent }, { state: device }] = await Promise.all([
      this.commands.fold(agentInUse, agreed.agent_id),
      this.commands.fold(walletDevice, agreed.device_id),
    ]);
    if (status === 'revoked' || device.status !== 'active') return { agreed, refusal: 'connection_revoked' };
    if (status === 'paused') return { agreed, refusal: 'connection_paused' };
    return { agreed, refusal: mayAct(agent, this.clock.now()) ? undefined : 'agent_not_active' };
  }
}
