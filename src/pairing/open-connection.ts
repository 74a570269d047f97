import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type ConnectionCreated } from '../connections/connection.events';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../event-store/event-store.port';
import { firstEvent } from '../event-store/first-event';
import { Reactors } from '../event-store/reactors';
import { CommandRunner } from '../event-store/run-command';
import { streamName } from '../event-store/stream-name';
import { pairingSession } from './pairing-session';
import { type PairingSessionApproved, type PairingSessionStarted } from './pairing-session.events';

const newConnection = firstEvent<ConnectionCreated>('connection');

const isStarted = (event: RecordedEvent): event is RecordedEvent & PairingSessionStarted =>
  event.type === 'PairingSessionStarted';
const isApproved = (event: RecordedEvent): event is RecordedEvent & PairingSessionApproved =>
  event.type === 'PairingSessionApproved';

/**
 * Makes the connection of an approved pairing, from the events as they were written: in the request that approved it, and
 * after a restart if the process died in between. Doing it twice makes one.
 */
@Injectable()
export class OpenPairedConnection implements OnModuleInit {
  constructor(
    private readonly commands: CommandRunner,
    private readonly reactors: Reactors,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  onModuleInit(): void {
    this.reactors.add({
      name: 'open-paired-connections',
      types: ['PairingSessionApproved'],
      react: async (event) => {
        if (isApproved(event)) await this.of(event.data.pairing_session_id);
      },
    });
  }

  async of(sessionId: string): Promise<void> {
    const events = await this.store.readStream(streamName(pairingSession.category, sessionId));
    const [started, approved] = [events.find(isStarted), events.find(isApproved)];
    if (started === undefined || approved === undefined) throw new Error(`${sessionId} was not approved`);
    const { data, metadata } = approved;
    const created: ConnectionCreated = {
      type: 'ConnectionCreated',
      data: {
        connection_id: data.connection_id,
        device_id: data.device_id,
        agent_id: data.agent_id,
        agent_name: started.data.agent_name,
        merchant_id: data.merchant_id,
        merchant_name: started.data.merchant_name,
        merchant_domain: started.data.merchant_domain,
        scopes: data.scopes,
        origin_id: sessionId,
        created_at: data.approved_at,
      },
    };
    const context = { requestId: metadata.request_id, actor: metadata.actor, causationId: metadata.event_id };
    await this.commands.run(newConnection, data.connection_id, created, context);
  }
}
