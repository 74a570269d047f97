import { notFollowed } from '../src/kernel/assert-never';
import { type ConnectionEnd, type ConnectionEvent } from '../src/events/connection.events';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { change, collection, create, ignored, type Projection, type Step } from '../src/platform/read-model/projection';
import { type AgentId, type ConnectionId, type MerchantId, type WalletDeviceId } from '../src/kernel/aggregates';

export type ConnectionDocument = Readonly<{
  id: ConnectionId;
  device_id: WalletDeviceId;
  agent_id: AgentId;
  agent_name: string;
  merchant_id: MerchantId;
  merchant_name: string;
  merchant_domain: string;
  scopes: readonly string[];
  status: 'active' | 'paused' | 'revoked';
  /** Why it ended, once it has. */
  revoked_reason: ConnectionEnd | null;
  created_at: string;
  updated_at: string;
  version: number;
}>;

export const connections = collection<ConnectionDocument>('connections', {
  by_device: { equals: ['device_id'], sort: 'created_at' },
  by_agent: { equals: ['agent_id'], sort: 'created_at' },
  by_merchant: { equals: ['merchant_id'], sort: 'created_at' },
});

export const connectionsProjection: Projection = {
  name: 'connections',
  version: 2,
  collections: [connections],
  project: (recorded) => steps(recorded as RecordedEvent & ConnectionEvent),
};

function steps(event: RecordedEvent & ConnectionEvent): readonly Step[] {
  switch (event.type) {
    case 'ConnectionCreated': {
      const { origin_id: _origin, credential_id: _credential, secret_number: _secret, ...shown } = event.data;
      const { connection_id: id, created_at, ...agreed } = shown;
      const times = { created_at, updated_at: created_at, version: event.version };
      return [create(connections, { id, ...agreed, status: 'active', revoked_reason: null, ...times })];
    }
    case 'ConnectionTokenRotated':
      return [touch(event, event.data.rotated_at, {})];
    case 'ConnectionTokenHandedOver':
      return [touch(event, event.data.handed_over_at, {})];
    case 'ConnectionPaused':
      return [touch(event, event.data.paused_at, { status: 'paused' })];
    case 'ConnectionResumed':
      return [touch(event, event.data.resumed_at, { status: 'active' })];
    case 'ConnectionRevoked':
      return [touch(event, event.data.revoked_at, { status: 'revoked', revoked_reason: event.data.reason })];
    default:
      return notFollowed(event, ignored);
  }
}

const touch = (
  { data, version }: RecordedEvent & ConnectionEvent,
  at: string,
  changes: Partial<ConnectionDocument>,
): Step => change(connections, data.connection_id, (known) => ({ ...known, ...changes, updated_at: at, version }));
