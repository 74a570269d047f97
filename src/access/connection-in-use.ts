import { notFollowed } from '../kernel/assert-never';
import { type ConnectionCreated, type ConnectionEnd, type ConnectionEvent } from '../events/connection.events';
import { type Fold } from '../kernel/decider';
import { type CredentialId } from '../kernel/aggregates';

export type KnownConnection = Readonly<{
  status: 'active' | 'paused' | 'revoked';
  /** Why it ended, once it has. */
  ended: ConnectionEnd | null;
  generation: number;
  /** The number of the service secret that the token of this generation was made under. */
  secret: number;
  /** The agent's credentials whose holders were given a token. Empty or incomplete if an older log does not say. */
  credentialIds: readonly CredentialId[];
  /** What the person agreed to, with the names they were shown. It never changes. */
  agreed: ConnectionCreated['data'];
}>;

export type ConnectionInUse = Readonly<{ status: 'unknown' }> | KnownConnection;

/** The part of a connection that decides whether its token opens anything now. */
export const connectionInUse: Fold<ConnectionInUse, ConnectionEvent> = {
  category: 'connection',
  initial: { status: 'unknown' },

  evolve(state, event) {
    if (event.type === 'ConnectionCreated') {
      const { credential_id: asked, secret_number: secret = 1 } = event.data;
      const credentialIds = asked === undefined ? [] : [asked];
      return { status: 'active', ended: null, generation: 1, secret, credentialIds, agreed: event.data };
    }
    if (state.status === 'unknown') return state;
    switch (event.type) {
      case 'ConnectionTokenRotated':
        return { ...state, generation: event.data.generation, secret: event.data.secret_number ?? 1 };
      case 'ConnectionTokenHandedOver':
        return { ...state, credentialIds: [...state.credentialIds, event.data.credential_id] };
      case 'ConnectionPaused':
        return { ...state, status: 'paused' };
      case 'ConnectionResumed':
        return { ...state, status: 'active' };
      case 'ConnectionRevoked':
        return { ...state, status: 'revoked', ended: event.data.reason };
      default:
        return notFollowed(event, state);
    }
  },
};
