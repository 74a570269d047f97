import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { CommandRunner, type Moment } from '../platform/event-store/run-command';
import { CLOCK, type Clock } from '../kernel/clock';
import { refuse } from '../kernel/errors';
import { type SvcRequest } from '../http/server/request-context';
import { agentInUse, type AgentInUse } from './agent-in-use';
import { requiredBearer } from './bearer';
import { connectionInUse, type ConnectionInUse, type KnownConnection } from './connection-in-use';
import { assertScope, refusalOver, scopesOver } from './connection-standing';
import { ConnectionTokens, type PresentedToken } from './connection-tokens';
import { type Scope } from '../kernel/scopes';
import { type ConnectionCaller } from '../http/server/callers';

const REQUIRED_SCOPE = 'svc:scope';
export const NeedsScope = (scope: Scope) => SetMetadata(REQUIRED_SCOPE, scope);

type Now = Readonly<{ connection: ConnectionInUse; agent: AgentInUse; moment: Moment | undefined }>;

/**
 * Admits a connected agent that holds the connection's current token and the route's scope. Everything is read from the
 * log at every use: a pause, revocation, rotation or suspension applies immediately. A removed device is not checked
 * here: its removal has revoked its connections by the time it is acknowledged.
 */
@Injectable()
export class ConnectionGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly commands: CommandRunner,
    private readonly tokens: ConnectionTokens,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    const token = requiredBearer(request);
    const presented = this.tokens.presented(token);
    if (presented === undefined) throw refuse('invalid_token');

    const { connection, agent, moment } = await this.read(presented);
    if (!this.tokens.opens(presented, connection) || connection.status === 'unknown') throw refuse('invalid_token');
    const refusal = refusalOver(connection, agent, this.clock.now());
    if (refusal !== undefined) throw refuse(refusal);
    const scopes = scopesOver(connection, agent);
    const needed = this.reflector.get<Scope | undefined>(REQUIRED_SCOPE, execution.getHandler());
    if (needed !== undefined) assertScope(scopes, needed);
    request.caller = {
      actor: { kind: 'connection', id: presented.connectionId },
      connection: callerOf(connection, scopes),
    };
    // Later checks of this call need no lookup of the log's end of their own.
    if (moment !== undefined) request.moment = moment;
    return true;
  }

  /** A connection's agent never changes: for a token seen before, both streams are read in parallel. */
  private async read({ connectionId, opened }: PresentedToken): Promise<Now> {
    const moment = await this.commands.moment();
    const [{ state: connection }, known] = await Promise.all([
      this.commands.fold(connectionInUse, connectionId, moment),
      opened && this.commands.fold(agentInUse, opened.agentId, moment),
    ]);
    if (known !== undefined) return { connection, agent: known.state, moment };
    if (connection.status === 'unknown') return { connection, agent: agentInUse.initial, moment };
    const { state: agent } = await this.commands.fold(agentInUse, connection.agreed.agent_id, moment);
    return { connection, agent, moment };
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
