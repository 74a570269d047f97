import { notFollowed } from '../src/kernel/assert-never';
import { type SessionEvent } from '../src/events/session.events';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { change, collection, create, ignored, type Projection, type Step } from '../src/platform/read-model/projection';
import { type AccountId, type MerchantId, type SessionId } from '../src/kernel/aggregates';

export type MerchantSessionDocument = Readonly<{
  id: SessionId;
  account_id: AccountId;
  merchant_id: MerchantId;
  delivery: 'cookie' | 'bearer';
  status: 'open' | 'ended';
  opened_at: string;
  expires_at: string;
}>;

/** For a person who views or ends their sessions; whether a session is valid is decided from its stream. */
export const merchantSessions = collection<MerchantSessionDocument>('merchant_sessions', {
  by_account: { equals: ['account_id', 'status'], sort: 'opened_at' },
});

export const merchantSessionsProjection: Projection = {
  name: 'merchant-sessions',
  version: 1,
  collections: [merchantSessions],
  project: (recorded) => steps(recorded as RecordedEvent & SessionEvent),
};

function steps({ type, data }: RecordedEvent & SessionEvent): readonly Step[] {
  switch (type) {
    case 'SessionOpened': {
      const { session_id: id, token_hash: _hash, ...rest } = data;
      return [create(merchantSessions, { id, ...rest, status: 'open' })];
    }
    case 'SessionEnded':
      return [change(merchantSessions, data.session_id, (session) => ({ ...session, status: 'ended' as const }))];
    case 'SessionUsed':
      return ignored;
    default:
      return notFollowed(type, ignored);
  }
}
