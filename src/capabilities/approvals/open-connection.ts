import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type ConnectionCreated } from '../../events/connection.events';
import { EVENT_STORE, type EventStore, type RecordedEvent } from '../../platform/event-store/event-store.port';
import { firstEvent } from '../../platform/event-store/first-event';
import { Reactors } from '../../platform/reacting/reactors';
import { CommandRunner } from '../../platform/event-store/run-command';
import { streamOf } from '../../platform/event-store/stream-name';
import { type DomainEvent } from '../../kernel/decider';
import { type OriginId } from '../../kernel/aggregates';
import { ServiceSecret } from '../../platform/secrets/service-secret';
import { type Reactor } from '../../platform/reacting/reactor';

type Made = ConnectionCreated['data'];
type Asked = Readonly<{
  type: string;
  data: Pick<Made, 'agent_name' | 'merchant_name' | 'merchant_domain' | 'credential_id'>;
}>;
type Approved = Readonly<{
  type: string;
  data: Pick<Made, 'connection_id' | 'device_id' | 'agent_id' | 'merchant_id' | 'scopes'> &
    Readonly<{ approved_at: string }>;
}>;

/** One way to request a connection: stream category, the event that names who asks, the approval, and its reactor. */
export type Asking<A extends Asked, Y extends Approved> = Readonly<{
  category: 'connect_invitation' | 'pairing_session';
  asked: A['type'];
  approved: Y['type'];
  reactor: (open: (id: OriginId) => Promise<void>) => Reactor;
}>;

const newConnection = firstEvent<ConnectionCreated>('connection');

/**
 * Creates the connection a person approved, from the recorded events: in the request that approved it, and after a
 * restart if the process died in between. Doing it twice creates one connection.
 */
@Injectable()
export abstract class OpenConnection<A extends Asked, Y extends Approved> implements OnModuleInit {
  protected abstract readonly asking: Asking<A, Y>;

  constructor(
    private readonly commands: CommandRunner,
    private readonly reactors: Reactors,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly secret: ServiceSecret,
  ) {}

  onModuleInit(): void {
    this.reactors.add(this.asking.reactor((id) => this.of(id)));
  }

  async of(id: OriginId): Promise<void> {
    const events = await this.store.readStream(streamOf(this.asking.category, id));
    const asked = events.find((event) => isOf<A>(event, this.asking.asked));
    const approval = events.find((event) => isOf<Y>(event, this.asking.approved));
    if (asked === undefined || approval === undefined) throw new Error(`${id} was not approved`);
    const { connection_id, device_id, agent_id, merchant_id, scopes, approved_at } = approval.data;
    const { agent_name, merchant_name, merchant_domain, credential_id } = asked.data;
    const { number: secret_number } = this.secret;
    const created: ConnectionCreated = {
      type: 'ConnectionCreated',
      data: {
        ...{ connection_id, device_id, agent_id, agent_name, merchant_id, merchant_name, merchant_domain, scopes },
        ...(credential_id === undefined ? {} : { credential_id }),
        origin_id: id,
        ...(secret_number === 1 ? {} : { secret_number }),
        created_at: approved_at,
      },
    };
    const { request_id: requestId, actor, event_id: causationId } = approval.metadata;
    await this.commands.run(newConnection, connection_id, created, { requestId, actor, causationId });
  }
}

const isOf = <Event extends DomainEvent>(event: RecordedEvent, type: Event['type']): event is RecordedEvent & Event =>
  event.type === type;
