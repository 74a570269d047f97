import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { connections } from '../../../projections/connections.projection';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { type RecordedEvent } from '../../platform/event-store/event-store.port';
import { Reactors } from '../../platform/reacting/reactors';
import { CommandRunner } from '../../platform/event-store/run-command';
import { type Fold } from '../../kernel/decider';
import { Projector } from '../../platform/projecting/projector';
import { type PageCursor, READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { type WalletDeviceEvent, type WalletDeviceRemoved } from '../../events/wallet-device.events';
import { connection } from './connection';
import { type ConnectionCreated } from '../../events/connection.events';
import { type ConnectionId, type WalletDeviceId } from '../../kernel/aggregates';
import { ignored, reactorTo } from '../../platform/reacting/reactor';

/** When a device was removed; null if it was not. */
const removalOf: Fold<string | null, WalletDeviceEvent> = {
  category: 'wallet_device',
  initial: null,
  evolve: (removedAt, event) => (event.type === 'WalletDeviceRemoved' ? event.data.removed_at : removedAt),
};

/**
 * Removing a device revokes its connections, before the removal gets its response and again after a crash in between. A
 * connection approved while its device was being removed is caught when it appears; its token was never handed out.
 */
@Injectable()
export class RevokeWithDevice implements OnModuleInit {
  constructor(
    private readonly reactors: Reactors,
    private readonly commands: CommandRunner,
    private readonly projector: Projector,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  onModuleInit(): void {
    this.reactors.add(
      reactorTo<'wallet_device' | 'connection'>('revoke-with-device', {
        WalletDeviceRegistered: ignored,
        WalletDeviceTokenRotated: ignored,
        WalletDeviceRemoved: (event) => this.revokeAll(event),
        ConnectionCreated: (event) => this.revokeIfRemoved(event),
        ConnectionTokenRotated: ignored,
        ConnectionTokenHandedOver: ignored,
        ConnectionPaused: ignored,
        ConnectionResumed: ignored,
        ConnectionRevoked: ignored,
      }),
    );
  }

  private async revokeIfRemoved(event: RecordedEvent & ConnectionCreated): Promise<void> {
    const { state: removedAt } = await this.commands.fold(removalOf, event.data.device_id);
    if (removedAt !== null) await this.revoke(event.data.connection_id, event.data.device_id, removedAt, event);
  }

  private async revokeAll(event: RecordedEvent & WalletDeviceRemoved): Promise<void> {
    // Past this position, the projection lists all connections made before the removal.
    await this.projector.progress.passed(event.position);
    const { device_id: deviceId, removed_at: removedAt } = event.data;
    let after: PageCursor | undefined;
    do {
      const page = await this.readModel.find(connections, 'by_device', [deviceId], { limit: 100, after });
      for (const { id, status } of page.documents) {
        if (status !== 'revoked') await this.revoke(id, deviceId, removedAt, event);
      }
      after = page.next ?? undefined;
    } while (after !== undefined);
  }

  private async revoke(
    connectionId: ConnectionId,
    deviceId: WalletDeviceId,
    at: string,
    cause: RecordedEvent,
  ): Promise<void> {
    const { request_id: requestId, actor, event_id: causationId } = cause.metadata;
    const context: CommandContext = { requestId, actor, causationId };
    const command = { kind: 'revoke', connectionId, deviceId, reason: 'device_removed', at } as const;
    await this.commands.run(connection, connectionId, command, context);
  }
}
