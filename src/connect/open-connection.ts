import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type ConnectionCreated } from '../connections/connection.events';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../event-store/event-store.port';
import { firstEvent } from '../event-store/first-event';
import { Reactors } from '../event-store/reactors';
import { CommandRunner } from '../event-store/run-command';
import { streamName } from '../event-store/stream-name';
import { connectInvitation } from './connect-invitation';
import { type ConnectInvitationApproved, type ConnectInvitationClaimed } from './connect-invitation.events';

const newConnection = firstEvent<ConnectionCreated>('connection');

const isClaimed = (event: RecordedEvent): event is RecordedEvent & ConnectInvitationClaimed =>
  event.type === 'ConnectInvitationClaimed';
const isApproved = (event: RecordedEvent): event is RecordedEvent & ConnectInvitationApproved =>
  event.type === 'ConnectInvitationApproved';

/**
 * Makes the connection of an approved invitation, from the events as they were written: in the request that approved it,
 * and after a restart if the process died in between. Doing it twice makes one.
 */
@Injectable()
export class OpenInvitedConnection implements OnModuleInit {
  constructor(
    private readonly commands: CommandRunner,
    private readonly reactors: Reactors,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  onModuleInit(): void {
    this.reactors.add({
      name: 'open-invited-connections',
      types: ['ConnectInvitationApproved'],
      react: async (event) => {
        if (isApproved(event)) await this.of(event.data.invitation_id);
      },
    });
  }

  async of(invitationId: string): Promise<void> {
    const events = await this.store.readStream(streamName(connectInvitation.category, invitationId));
    const [claimed, approved] = [events.find(isClaimed), events.find(isApproved)];
    if (claimed === undefined || approved === undefined) throw new Error(`${invitationId} was not approved`);
    const { data, metadata } = approved;
    const created: ConnectionCreated = {
      type: 'ConnectionCreated',
      data: {
        connection_id: data.connection_id,
        device_id: data.device_id,
        agent_id: data.agent_id,
        agent_name: claimed.data.agent_name,
        merchant_id: data.merchant_id,
        merchant_name: claimed.data.merchant_name,
        merchant_domain: claimed.data.merchant_domain,
        scopes: data.scopes,
        origin_id: invitationId,
        created_at: data.approved_at,
      },
    };
    const context = { requestId: metadata.request_id, actor: metadata.actor, causationId: metadata.event_id };
    await this.commands.run(newConnection, data.connection_id, created, context);
  }
}
