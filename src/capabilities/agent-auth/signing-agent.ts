import { type AgentEvent, type AgentStatus } from '../../events/agent.events';
import { assertNever } from '../../kernel/assert-never';
import { type ErrorCode } from '../../kernel/error-catalogue';
import { type Fold } from '../../kernel/decider';
import { type MerchantEvent } from '../../events/merchant.events';
import { type MerchantId } from '../../kernel/aggregates';

type SigningCredential = Readonly<{
  publicKey: string;
  notBefore: string;
  expiresAt: string;
  status: 'pending' | 'active' | 'revoked';
}>;

export type SigningAgent = Readonly<{
  merchantId: MerchantId;
  status: AgentStatus;
  credentials: ReadonlyMap<string, SigningCredential>;
}>;

/** What authentication needs to know about an agent. */
export const signingAgent: Fold<SigningAgent | null, AgentEvent> = {
  category: 'agent',
  initial: null,
  evolve(state, event) {
    if (event.type === 'AgentCreated') {
      return { merchantId: event.data.merchant_id, status: 'pending', credentials: new Map() };
    }
    if (state === null) throw new Error(`${event.type} before the agent was created`);
    switch (event.type) {
      case 'AgentStatusChanged':
        return { ...state, status: event.data.status };
      case 'AgentCredentialRegistered': {
        const { public_key: publicKey, not_before: notBefore, expires_at: expiresAt } = event.data;
        return withCredential(state, event.data.credential_id, { publicKey, notBefore, expiresAt, status: 'pending' });
      }
      case 'AgentCredentialActivated':
        return withCredential(state, event.data.credential_id, { status: 'active' });
      case 'AgentCredentialRevoked':
        return withCredential(state, event.data.credential_id, { status: 'revoked' });
      case 'AgentDetailsChanged':
      case 'AgentCredentialProofFailed':
        return state;
      default:
        return assertNever(event);
    }
  },
};

/** Whether a merchant has a verified domain. */
export const merchantIsActive: Fold<boolean, MerchantEvent> = {
  category: 'merchant',
  initial: false,
  evolve: (active, { type }) => active || type === 'MerchantActivated',
};

/** Why a credential with a valid signature is refused; undefined if it is not. */
export function objectionTo(
  credential: SigningCredential,
  agent: SigningAgent,
  merchantActive: boolean,
  now: Date,
): ErrorCode | undefined {
  if (credential.status === 'revoked') return 'credential_revoked';
  const time = now.getTime();
  if (time < Date.parse(credential.notBefore) || time >= Date.parse(credential.expiresAt))
    return 'credential_not_valid';
  return agent.status === 'active' && merchantActive ? undefined : 'agent_not_active';
}

function withCredential(state: SigningAgent, id: string, changes: Partial<SigningCredential>): SigningAgent {
  const credential = { ...state.credentials.get(id), ...changes } as SigningCredential;
  return { ...state, credentials: new Map(state.credentials).set(id, credential) };
}
