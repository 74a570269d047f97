import { notFollowed } from '../kernel/assert-never';
import { type AgentEvent, type AgentStatus } from '../events/agent.events';
import { type ErrorCode } from '../kernel/error-catalogue';
import { type Fold } from '../kernel/decider';
import { type KnownConnection } from './connection-in-use';
import { type CredentialId } from '../kernel/aggregates';

type Credential = Readonly<{
  from: number;
  until: number;
  activatedAt: number | null;
  /** When it was first revoked, for whatever reason. */
  revokedAt: number | null;
  compromised: boolean;
}>;

export type AgentInUse = Readonly<{
  status: AgentStatus | 'unknown';
  name: string;
  allowedScopes: readonly string[];
  credentials: ReadonlyMap<string, Credential>;
  /** Credentials that are activated and not revoked: read at every call. */
  active: readonly Credential[];
}>;

/** The part of an agent that decides whether its connections, and what it has asked for, may be used now. */
export const agentInUse: Fold<AgentInUse, AgentEvent> = {
  category: 'agent',
  initial: { status: 'unknown', name: '', allowedScopes: [], credentials: new Map(), active: [] },

  evolve(state, event) {
    switch (event.type) {
      case 'AgentCreated':
        return { ...state, status: 'pending', name: event.data.name, allowedScopes: event.data.allowed_scopes };
      case 'AgentStatusChanged':
        return { ...state, status: event.data.status };
      case 'AgentDetailsChanged':
        return { ...state, name: event.data.name, allowedScopes: event.data.allowed_scopes };
      case 'AgentCredentialRegistered': {
        const { credential_id: id, not_before, expires_at } = event.data;
        const times = { from: Date.parse(not_before), until: Date.parse(expires_at) };
        return withCredential(state, id, { ...times, activatedAt: null, revokedAt: null, compromised: false });
      }
      case 'AgentCredentialActivated': {
        const { credential_id: id, activated_at } = event.data;
        const credential = state.credentials.get(id);
        return credential ? withCredential(state, id, { ...credential, activatedAt: Date.parse(activated_at) }) : state;
      }
      case 'AgentCredentialRevoked': {
        const { credential_id: id, revoked_at, reason } = event.data;
        const credential = state.credentials.get(id);
        if (credential === undefined) return state;
        const revokedAt = credential.revokedAt ?? Date.parse(revoked_at);
        const compromised = credential.compromised || reason === 'compromised';
        return withCredential(state, id, { ...credential, revokedAt, compromised });
      }
      case 'AgentCredentialProofFailed':
        return state;
      default:
        return notFollowed(event, state);
    }
  },
};

function withCredential(state: AgentInUse, id: string, credential: Credential): AgentInUse {
  const credentials = new Map(state.credentials).set(id, credential);
  const active = [...credentials.values()].filter(
    ({ activatedAt, revokedAt }) => activatedAt !== null && revokedAt === null,
  );
  return { ...state, credentials, active };
}

/** An agent may act while it is active and at least one of its credentials is valid. */
export const mayAct = ({ status, active }: AgentInUse, now: Date): boolean => {
  const moment = now.getTime();
  return status === 'active' && active.some(({ from, until }) => from <= moment && moment < until);
};

/** How long before the connection was created the agent may have requested it. */
const MAX_REQUEST_AGE_MS = 10 * 60_000;

/**
 * Whether somebody else may hold the connection's token, because a credential it was opened with was compromised. If an
 * older log does not name that credential, any that was in use at the time counts.
 */
export function isCompromised(agent: AgentInUse, { agreed, credentialIds }: KnownConnection): boolean {
  if (credentialIds.some((id) => agent.credentials.get(id)?.compromised)) return true;
  if (agreed.credential_id !== undefined) return false;
  const made = Date.parse(agreed.created_at);
  return [...agent.credentials.values()].some(
    ({ compromised, activatedAt, revokedAt }) =>
      compromised && (activatedAt ?? Infinity) <= made && (revokedAt ?? Infinity) > made - MAX_REQUEST_AGE_MS,
  );
}

/** Which credential requested a connection, and when. */
export type Asking = Readonly<{ credentialId: CredentialId | undefined; askedAt: string }>;

/** Whether the requesting credential has been revoked since; if an older log does not name it, whether any has. */
export function askerIsRevoked({ credentials }: AgentInUse, { credentialId, askedAt }: Asking): boolean {
  if (credentialId !== undefined) return credentials.get(credentialId)?.revokedAt !== null;
  return [...credentials.values()].some(({ revokedAt }) => revokedAt !== null && revokedAt >= Date.parse(askedAt));
}

/** Why the asker could no longer request a connection; undefined if it still could. */
export function objectionToAsker(agent: AgentInUse, asking: Asking, now: Date): ErrorCode | undefined {
  if (askerIsRevoked(agent, asking)) return 'credential_revoked';
  if (agent.status !== 'active') return 'agent_not_active';
  const asker = asking.credentialId === undefined ? undefined : agent.credentials.get(asking.credentialId);
  const isValid = asker === undefined ? mayAct(agent, now) : now.getTime() < asker.until;
  return isValid ? undefined : 'credential_not_valid';
}
