import { notFollowed } from '../src/kernel/assert-never';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { type PairingSessionEvent } from '../src/events/pairing-session.events';
import { change, collection, create, ignored, type Projection, type Step } from '../src/platform/read-model/projection';
import { type AgentId, type ConnectionId, type MerchantId, type PairingSessionId } from '../src/kernel/aggregates';

export type PairingSessionDocument = Readonly<{
  id: PairingSessionId;
  agent_id: AgentId;
  agent_name: string;
  merchant_id: MerchantId;
  merchant_name: string;
  merchant_domain: string;
  requested_scopes: readonly string[];
  status: 'pending' | 'approved' | 'rejected' | 'expired';
  /** Granted by the wallet. */
  scopes: readonly string[] | null;
  connection_id: ConnectionId | null;
  created_at: string;
  updated_at: string;
  expires_at: string;
  version: number;
  /** True while it can still expire; null removes it from the index. */
  open: true | null;
  /** What the code is looked up by, while it waits for a decision. */
  code_look_up: string | null;
}>;

export const pairingSessions = collection<PairingSessionDocument>('pairing_sessions', {
  due: { equals: ['open'], sort: 'expires_at' },
  by_code: { equals: ['code_look_up'], sort: 'created_at' },
});

export const pairingSessionsProjection: Projection = {
  name: 'pairing-sessions',
  version: 2,
  collections: [pairingSessions],
  project: (recorded) => steps(recorded as RecordedEvent & PairingSessionEvent),
};

function steps(event: RecordedEvent & PairingSessionEvent): readonly Step[] {
  switch (event.type) {
    case 'PairingSessionStarted': {
      const {
        pairing_session_id: id,
        code_hash: _hash,
        code_look_up = null,
        started_at,
        expires_at,
        credential_id: _credential,
        ...asked
      } = event.data;
      const document: PairingSessionDocument = {
        id,
        ...asked,
        status: 'pending',
        scopes: null,
        connection_id: null,
        created_at: started_at,
        updated_at: started_at,
        expires_at,
        version: event.version,
        open: true,
        code_look_up,
      };
      return [create(pairingSessions, document)];
    }
    case 'PairingCodeMissed':
      return [touch(event, event.data.missed_at, {})];
    case 'PairingSessionApproved': {
      const { approved_at, scopes, connection_id } = event.data;
      return [touch(event, approved_at, { status: 'approved', scopes, connection_id, ...closed })];
    }
    case 'PairingSessionRejected':
      return [touch(event, event.data.rejected_at, { status: 'rejected', ...closed })];
    case 'PairingSessionExpired':
      return [touch(event, event.data.expired_at, { status: 'expired', ...closed })];
    case 'PairingTokenCollected':
      return [touch(event, event.data.collected_at, {})];
    default:
      return notFollowed(event, ignored);
  }
}

const closed = { open: null, code_look_up: null } as const;

const touch = (
  { data, version }: RecordedEvent & PairingSessionEvent,
  at: string,
  changes: Partial<PairingSessionDocument>,
): Step =>
  change(pairingSessions, data.pairing_session_id, (known) => ({ ...known, ...changes, updated_at: at, version }));
