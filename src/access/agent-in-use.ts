import { type AgentEvent, type AgentStatus } from '../capabilities/agents/agent.events';
import { type Fold } from '../kernel/decider';

type Credential = Readonly<{ from: number; until: number }>;

export type AgentInUse = Readonly<{
  status: AgentStatus | 'unknown';
  allowedScopes: readonly string[];
  /** Registered ones by id; only what was activated and not revoked counts. */
  registered: Readonly<Record<string, Credential>>;
  active: readonly Credential[];
}>;

/** As much of an agent as decides whether its connections may be used now. */
export const agentInUse: Fold<AgentInUse, AgentEvent> = {
  category: 'agent',
  initial: { status: 'unknown', allowedScopes: [], registered: {}, active: [] },

  evolve(state, event) {
    switch (event.type) {
      case 'AgentCreated':
        return { ...state, status: 'pending', allowedScopes: event.data.allowed_scopes };
      case 'AgentStatusChanged':
        return { ...state, status: event.data.status };
      case 'AgentDetailsChanged':
        return { ...state, allowedScopes: event.data.allowed_scopes };
      case 'AgentCredentialRegistered': {
        const { credential_id: id, not_before, expires_at } = event.data;
        const credential = { from: Date.parse(not_before), until: Date.parse(expires_at) };
        return { ...state, registered: { ...state.registered, [id]: credential } };
      }
      case 'AgentCredentialActivated': {
        const credential = state.registered[event.data.credential_id];
        return credential === undefined ? state : { ...state, active: [...state.active, credential] };
      }
      case 'AgentCredentialRevoked': {
        const { [event.data.credential_id]: revoked, ...registered } = state.registered;
        return { ...state, registered, active: state.active.filter((credential) => credential !== revoked) };
      }
      default:
        return state;
    }
  },
};

/** An agent acts while it is active and could prove who it is with some credential. */
export const mayAct = ({ status, active }: AgentInUse, now: Date): boolean => {
  const moment = now.getTime();
  return status === 'active' && active.some(({ from, until }) => from <= moment && moment < until);
};
