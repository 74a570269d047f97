import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../platform/event-store/run-command';
import { refuse } from '../kernel/errors';
import { RecentlyUsed } from '../kernel/recently-used';
import { subjectOf } from '../platform/secrets/bound-tokens';
import { DerivedTokens } from '../platform/secrets/derived-tokens';
import { agentInUse, isCompromised } from './agent-in-use';
import { connectionInUse, type ConnectionInUse } from './connection-in-use';
import { deviceInUse } from './device-in-use';
import { type AgentId, type ConnectionId } from '../kernel/aggregates';

/** What a token opened when it was last used. It may no longer open it. */
type Opened = Readonly<{ connectionId: ConnectionId; agentId: AgentId; generation: number }>;

/** A token that a caller presented, and the connection it names. */
export type PresentedToken = Readonly<{
  token: string;
  digest: string;
  connectionId: ConnectionId;
  opened: Opened | undefined;
}>;

const MAX_OPENED = 20_000;

/** Connection tokens are not stored: each follows from the connection, its generation and the service secret. */
@Injectable()
export class ConnectionTokens {
  /**
   * By token hash: a repeated token is not derived again, only its generation is compared with the log's. Only tokens
   * that opened something are added, so guesses cannot fill it; evicting one costs one derivation.
   */
  private readonly opened = new RecentlyUsed<string, Opened>(MAX_OPENED);

  constructor(
    private readonly commands: CommandRunner,
    private readonly derived: DerivedTokens,
  ) {}

  /**
   * The current token, for a caller that may have it. Refused for a removed device: its removal revokes the connections
   * that exist by then, so a token issued after this check can never outlive the removal's response. Also refused if
   * the connection was revoked, or a credential that opened it compromised: the token would not work, and its receiver
   * would believe that it is connected.
   */
  async current(connectionId: ConnectionId): Promise<string> {
    const { state } = await this.commands.fold(connectionInUse, connectionId);
    if (state.status === 'unknown') throw new Error(`there is no connection ${connectionId}`);
    const [{ state: device }, { state: agent }] = await Promise.all([
      this.commands.fold(deviceInUse, state.agreed.device_id),
      this.commands.fold(agentInUse, state.agreed.agent_id),
    ]);
    if (isCompromised(agent, state)) throw refuse('credential_revoked');
    if (device === undefined || state.status === 'revoked') throw refuse('connection_revoked');
    return this.derived.of('connection', connectionId, state);
  }

  /** Undefined if it is not a connection token. Whether it opens the connection it names is checked separately. */
  presented(token: string): PresentedToken | undefined {
    const digest = hash('sha256', token, 'base64');
    const opened = this.opened.get(digest);
    const connectionId = opened?.connectionId ?? subjectOf('connection', 'con', token);
    return connectionId === undefined ? undefined : { token, digest, connectionId, opened };
  }

  opens({ token, digest, connectionId, opened }: PresentedToken, state: ConnectionInUse): boolean {
    if (state.status !== 'unknown' && opened?.generation === state.generation) return true;
    // Also derived for a connection that does not exist, so that both cases take the same path.
    const made = state.status === 'unknown' ? { generation: 0, secret: 1 } : state;
    const matches = this.derived.matches(token, 'connection', connectionId, made);
    if (!matches || state.status === 'unknown') return false;
    this.opened.set(digest, { connectionId, agentId: state.agreed.agent_id, generation: state.generation });
    return true;
  }
}
