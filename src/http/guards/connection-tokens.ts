import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../event-store/run-command';
import { subjectOf } from '../../secrets/bound-tokens';
import { DerivedTokens } from '../../secrets/derived-tokens';
import { connectionInUse, type ConnectionInUse } from './connection-in-use';

/** Of a connection's token nothing is stored: it follows from the connection, its generation and the service secret. */
@Injectable()
export class ConnectionTokens {
  constructor(
    private readonly commands: CommandRunner,
    private readonly derived: DerivedTokens,
  ) {}

  /** The token that works now, for whoever may be told. */
  async current(connectionId: string): Promise<string> {
    const { state } = await this.commands.fold(connectionInUse, connectionId);
    if (state.status === 'unknown') throw new Error(`there is no connection ${connectionId}`);
    return this.of(connectionId, state.generation);
  }

  of(connectionId: string, generation: number): string {
    return this.derived.of('connection', connectionId, generation);
  }

  /** The connection a token names; undefined if it is no connection token. Whether it opens it is another question. */
  namedBy(token: string): string | undefined {
    return subjectOf('connection', 'con', token);
  }

  opens(token: string, connectionId: string, state: ConnectionInUse): boolean {
    // Also made for a connection that does not exist, so that both answers take the same way.
    const generation = state.status === 'unknown' ? 0 : state.generation;
    return this.derived.matches(token, 'connection', connectionId, generation) && state.status !== 'unknown';
  }
}
