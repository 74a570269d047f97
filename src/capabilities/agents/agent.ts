import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import {
  type Credential,
  credentialFrom,
  type Credentials,
  isInUse,
  type ProveCredential,
  proveCredential,
  type RegisterCredential,
  registerCredential,
  type RevokeCredential,
  revokeCredential,
} from './agent-credential';
import { type MaybeUnderKey, repeated, underKey } from '../../kernel/made-under-key';
import { type AgentEvent, type AgentStatus } from '../../events/agent.events';
import { type AgentId, type CredentialId, type MerchantId } from '../../kernel/aggregates';

type CreateAgent = Readonly<{
  kind: 'create';
  agentId: AgentId;
  merchantId: MerchantId;
  name: string;
  runtime: string;
  environment: string;
  allowedScopes: readonly string[];
  at: string;
  under?: MaybeUnderKey | undefined;
}>;
type ChangeAgent = Readonly<{
  kind: 'change';
  agentId: AgentId;
  merchantId: MerchantId;
  version: number;
  status?: Exclude<AgentStatus, 'pending'> | undefined;
  name?: string | undefined;
  allowedScopes?: readonly string[] | undefined;
  at: string;
}>;

export type AgentCommand = CreateAgent | ChangeAgent | RegisterCredential | ProveCredential | RevokeCredential;

export type KnownAgent = Readonly<{
  merchantId: MerchantId;
  name: string;
  allowedScopes: readonly string[];
  status: AgentStatus;
  /** Counts changes to the agent itself, as callers see it; changes to its credentials do not count. */
  version: number;
  credentials: Credentials;
  under: MaybeUnderKey;
}>;
export type AgentState = KnownAgent | null;

/** A program that may request payments for its merchant. It proves itself with keys whose public half we know. */
export const agent: Decider<AgentState, AgentCommand, AgentEvent> = {
  category: 'agent',
  initial: null,

  decide(command, state) {
    if (command.kind === 'create') return state === null ? create(command) : repeated(state.under, command.under);
    // Treat another merchant's agent as nonexistent.
    if (state?.merchantId !== command.merchantId) throw refuse('resource_not_found');
    switch (command.kind) {
      case 'change':
        return change(command, state);
      case 'register-credential':
        return registerCredential(command, notRevoked(state).credentials);
      case 'prove-credential':
        return proveCredential(command, credentialIn(notRevoked(state), command.credentialId));
      case 'revoke-credential':
        return revokeCredential(command, credentialIn(state, command.credentialId));
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    if (event.type === 'AgentCreated') {
      const { merchant_id: merchantId, name, allowed_scopes: allowedScopes } = event.data;
      return {
        merchantId,
        name,
        allowedScopes,
        status: 'pending',
        version: 1,
        credentials: new Map(),
        under: underKey(event.data),
      };
    }
    if (state === null) throw new Error(`${event.type} before the agent was created`);
    const version = state.version + 1;
    switch (event.type) {
      case 'AgentStatusChanged':
        return { ...state, version, status: event.data.status };
      case 'AgentDetailsChanged':
        return { ...state, version, name: event.data.name, allowedScopes: event.data.allowed_scopes };
      case 'AgentCredentialRegistered':
        return {
          ...state,
          credentials: new Map(state.credentials).set(event.data.credential_id, credentialFrom(event.data)),
        };
      case 'AgentCredentialProofFailed':
        return withCredential(state, event.data.credential_id, ({ failedProofs }) => ({
          failedProofs: failedProofs + 1,
        }));
      case 'AgentCredentialActivated':
        return withCredential(state, event.data.credential_id, () => ({ status: 'active' }));
      case 'AgentCredentialRevoked':
        return withCredential(state, event.data.credential_id, () => ({
          status: 'revoked',
          revokedAs: event.data.reason ?? 'rotated',
        }));
      default:
        return assertNever(event);
    }
  },
};

const create = (command: CreateAgent): readonly AgentEvent[] => [
  {
    type: 'AgentCreated',
    data: {
      agent_id: command.agentId,
      merchant_id: command.merchantId,
      name: command.name,
      runtime: command.runtime,
      environment: command.environment,
      allowed_scopes: command.allowedScopes,
      created_at: command.at,
      ...underKey(command.under),
    },
  },
];

/** A change names the version it applies to, so repeating it meets a newer version and is refused. */
function change(command: ChangeAgent, state: KnownAgent): readonly AgentEvent[] {
  if (command.version !== state.version) {
    throw refuse('version_conflict', { details: { current_version: state.version } });
  }
  const { name = state.name, allowedScopes = state.allowedScopes, status = state.status, at } = command;
  const ids = { agent_id: command.agentId, merchant_id: command.merchantId };
  const events: AgentEvent[] = [];
  if (name !== state.name || !sameList(allowedScopes, state.allowedScopes)) {
    events.push({ type: 'AgentDetailsChanged', data: { ...ids, name, allowed_scopes: allowedScopes, changed_at: at } });
  }
  if (status !== state.status) {
    events.push({ type: 'AgentStatusChanged', data: { ...ids, status, changed_at: at } });
  }
  if (events.length === 0) return [];
  notRevoked(state);
  const becomesActive = status === 'active' && state.status !== 'active';
  if (becomesActive && ![...state.credentials.values()].some((credential) => isInUse(credential, at))) {
    throw refuse('agent_credential_required');
  }
  return events;
}

const sameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((entry, index) => entry === other[index]);

/** Revoked is final. */
function notRevoked(state: KnownAgent): KnownAgent {
  if (state.status !== 'revoked') return state;
  throw refuse('invalid_status_transition', { details: { current_status: state.status } });
}

export function credentialIn({ credentials }: KnownAgent, credentialId: CredentialId): Credential {
  const credential = credentials.get(credentialId);
  if (credential === undefined) throw refuse('resource_not_found');
  return credential;
}

function withCredential(
  state: KnownAgent,
  credentialId: CredentialId,
  changes: (credential: Credential) => Partial<Credential>,
): KnownAgent {
  const credential = credentialIn(state, credentialId);
  const credentials = new Map(state.credentials).set(credentialId, { ...credential, ...changes(credential) });
  return { ...state, credentials };
}
