import { type ConnectionCreated, type ConnectionEvent } from '../capabilities/connections/connection.events';
import { type Fold } from '../kernel/decider';

export type KnownConnection = Readonly<{
  status: 'active' | 'paused' | 'revoked';
  generation: number;
  /** What the person agreed to, with the names they were shown. It never changes. */
  agreed: ConnectionCreated['data'];
}>;

export type ConnectionInUse = Readonly<{ status: 'unknown' }> | KnownConnection;

/** As much of a connection as decides whether its token opens anything now. */
export const connectionInUse: Fold<ConnectionInUse, ConnectionEvent> = {
  category: 'connection',
  initial: { status: 'unknown' },

  evolve(state, event) {
    if (event.type === 'ConnectionCreated') return { status: 'active', generation: 1, agreed: event.data };
    if (state.status === 'unknown') return state;
    switch (event.type) {
      case 'ConnectionTokenRotated':
        return { ...state, generation: event.data.generation };
      case 'ConnectionPaused':
        return { ...state, status: 'paused' };
      case 'ConnectionResumed':
        return { ...state, status: 'active' };
      case 'ConnectionRevoked':
        return { ...state, status: 'revoked' };
      default:
        return state;
    }
  },
};
