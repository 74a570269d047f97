import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { connections } from '../../../projections/connections.projection';
import { agentInUse, type AgentInUse, isCompromised } from '../../access/agent-in-use';
import { connectionInUse } from '../../access/connection-in-use';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { CommandRunner } from '../../platform/event-store/run-command';
import { Projector } from '../../platform/projecting/projector';
import { Reactors } from '../../platform/reacting/reactors';
import { type PageCursor, READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { type AgentCredentialRevoked } from '../../events/agent.events';
import { connection } from './connection';
import { type ConnectionCreated, type ConnectionTokenHandedOver } from '../../events/connection.events';
import { type ConnectionId } from '../../kernel/aggregates';
import { ignored, reactorTo } from '../../platform/reacting/reactor';

/**
 * Revokes the connections opened with a compromised credential, so that the wallet and the merchant's webhooks see that
 * they ended, and why. Refusing their tokens does not depend on this: the guard checks the credential itself.
 */
@Injectable()
export class RevokeWithCredential implements OnModuleInit {
  constructor(
    private readonly reactors: Reactors,
    private readonly commands: CommandRunner,
    private readonly projector: Projector,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  onModuleInit(): void {
    const opened = (event: RecordedEvent & (ConnectionCreated | ConnectionTokenHandedOver)): Promise<void> =>
      this.revokeIfCompromised(event.data.connection_id, event);
    this.reactors.add(
      reactorTo<'agent' | 'connection'>('revoke-with-credential', {
        AgentCreated: ignored,
        AgentStatusChanged: ignored,
        AgentDetailsChanged: ignored,
        AgentCredentialRegistered: ignored,
        AgentCredentialProofFailed: ignored,
        AgentCredentialActivated: ignored,
        AgentCredentialRevoked: (event) => this.revokeAll(event),
        ConnectionCreated: opened,
        ConnectionTokenRotated: ignored,
        ConnectionTokenHandedOver: opened,
        ConnectionPaused: ignored,
        ConnectionResumed: ignored,
        ConnectionRevoked: ignored,
      }),
    );
  }

  private async revokeAll(event: RecordedEvent & AgentCredentialRevoked): Promise<void> {
    if (event.data.reason !== 'compromised') return;
    // Past this position, the projection lists all earlier connections; later ones are caught as they open.
    await this.projector.progress.passed(event.position);
    const { agent_id: agentId } = event.data;
    const { state: agent } = await this.commands.fold(agentInUse, agentId);
    let after: PageCursor | undefined;
    do {
      const page = await this.readModel.find(connections, 'by_agent', [agentId], { limit: 100, after });
      for (const { id, status } of page.documents) {
        if (status !== 'revoked') await this.revokeIfCompromised(id, event, agent);
      }
      after = page.next ?? undefined;
    } while (after !== undefined);
  }

  private async revokeIfCompromised(
    connectionId: ConnectionId,
    cause: RecordedEvent,
    known?: AgentInUse,
  ): Promise<void> {
    const { state } = await this.commands.fold(connectionInUse, connectionId);
    if (state.status === 'unknown' || state.status === 'revoked') return;
    const agent = known ?? (await this.commands.fold(agentInUse, state.agreed.agent_id)).state;
    if (!isCompromised(agent, state)) return;
    const { request_id: requestId, actor, event_id: causationId, occurred_at: at } = cause.metadata;
    const credentialId = state.credentialIds.find((id) => agent.credentials.get(id)?.compromised);
    const command = {
      kind: 'revoke',
      connectionId,
      deviceId: state.agreed.device_id,
      reason: 'credential_revoked',
      ...(credentialId === undefined ? {} : { credentialId }),
      at,
    } as const;
    await this.commands.run(connection, connectionId, command, { requestId, actor, causationId });
  }
}
