import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { CommandRunner } from '../../event-store/run-command';
import { CLOCK, type Clock } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { walletDevice, type WalletDeviceState } from '../../wallet-devices/wallet-device';
import { type SvcRequest } from '../request-context';
import { agentInUse, type AgentInUse, mayAct } from './agent-in-use';
import { bearerOf, comesAsBearer } from './bearer';
import { connectionInUse, type ConnectionInUse, type KnownConnection } from './connection-in-use';
import { ConnectionTokens } from './connection-tokens';

export const SCOPES = [
  'payment.requests.create',
  'payment.requests.read',
  'transaction_contexts.create',
  'transaction_contexts.read',
] as const;
export type Scope = (typeof SCOPES)[number];

export type ConnectionCaller = Readonly<{
  connectionId: string;
  deviceId: string;
  agentId: string;
  agentName: string;
  merchantId: string;
  merchantName: string;
  merchantDomain: string;
  /** What the connection may do now: granted by the wallet and still allowed to the agent. */
  scopes: readonly string[];
}>;

const NEEDED = 'svc:scope';
export const NeedsScope = (scope: Scope) => SetMetadata(NEEDED, scope);

type Parties = Readonly<{ agentId: string; deviceId: string }>;
type Now = Readonly<{ connection: ConnectionInUse; agent: AgentInUse; device: WalletDeviceState }>;

const MAX_PARTIES = 20_000;

/**
 * Lets a connected agent through that holds the connection's current token and the route's scope. Everything is read
 * from the log at every use: what was paused, revoked, rotated or suspended a moment ago does not work any more.
 */
@Injectable()
export class ConnectionGuard implements CanActivate {
  /** Whom a connection ties together never changes; knowing it lets the three streams be read side by side. */
  private readonly parties = new Map<string, Parties>();

  constructor(
    private readonly reflector: Reflector,
    private readonly commands: CommandRunner,
    private readonly tokens: ConnectionTokens,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    const token = bearerOf(request);
    if (token === undefined) throw refuse(comesAsBearer(request) ? 'invalid_token' : 'unauthenticated');
    const connectionId = this.tokens.namedBy(token);
    if (connectionId === undefined) throw refuse('invalid_token');

    const { connection, agent, device } = await this.read(connectionId);
    if (!this.tokens.opens(token, connectionId, connection) || connection.status === 'unknown') {
      throw refuse('invalid_token');
    }
    if (connection.status === 'revoked' || device.status !== 'active') throw refuse('connection_revoked');
    if (connection.status === 'paused') throw refuse('connection_paused');
    if (!mayAct(agent, this.clock.now())) throw refuse('agent_not_active');
    const scopes = connection.agreed.scopes.filter((scope) => agent.allowedScopes.includes(scope));
    const needed = this.reflector.get<Scope | undefined>(NEEDED, execution.getHandler());
    if (needed !== undefined && !scopes.includes(needed)) {
      throw refuse('insufficient_scope', { details: { required_scope: needed } });
    }
    this.remember(connectionId, connection);
    request.caller = {
      actor: { kind: 'connection', id: connectionId },
      connection: callerOf(connection, scopes),
    };
    return true;
  }

  private async read(connectionId: string): Promise<Now> {
    const known = this.parties.get(connectionId);
    const others = known && this.readOthers(known);
    const [{ state: connection }, read] = await Promise.all([
      this.commands.fold(connectionInUse, connectionId),
      others,
    ]);
    if (read !== undefined) return { connection, ...read };
    if (connection.status === 'unknown') return { connection, agent: agentInUse.initial, device: walletDevice.initial };
    const { agent_id: agentId, device_id: deviceId } = connection.agreed;
    return { connection, ...(await this.readOthers({ agentId, deviceId })) };
  }

  private async readOthers({ agentId, deviceId }: Parties): Promise<Omit<Now, 'connection'>> {
    const [agent, device] = await Promise.all([
      this.commands.fold(agentInUse, agentId),
      this.commands.fold(walletDevice, deviceId),
    ]);
    return { agent: agent.state, device: device.state };
  }

  /** Only of connections in use, so that nobody fills it with guesses; forgetting one costs a second round. */
  private remember(connectionId: string, { agreed }: KnownConnection): void {
    if (this.parties.has(connectionId)) return;
    if (this.parties.size >= MAX_PARTIES) this.parties.clear();
    this.parties.set(connectionId, { agentId: agreed.agent_id, deviceId: agreed.device_id });
  }
}

/** With the names the person was shown when they agreed: an agent cannot rename itself into somebody else. */
const callerOf = ({ agreed }: KnownConnection, scopes: readonly string[]): ConnectionCaller => ({
  connectionId: agreed.connection_id,
  deviceId: agreed.device_id,
  agentId: agreed.agent_id,
  agentName: agreed.agent_name,
  merchantId: agreed.merchant_id,
  merchantName: agreed.merchant_name,
  merchantDomain: agreed.merchant_domain,
  scopes,
});

/** The verified connection of the caller. */
export const Connection = createParamDecorator((_: unknown, execution: ExecutionContext): ConnectionCaller => {
  const { caller } = execution.switchToHttp().getRequest<SvcRequest>();
  if (caller?.connection === undefined) throw new Error('Connection needs the connection guard');
  return caller.connection;
});
