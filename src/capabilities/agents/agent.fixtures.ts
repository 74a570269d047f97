import { type AgentCommand } from './agent';
import { type AgentEvent, type AgentStatus } from '../../events/agent.events';

const agentId = 'agt_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const merchantId = 'mer_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const own = { agent_id: agentId, merchant_id: merchantId } as const;

export const at = '2030-01-01T00:00:00.000Z';
export const inFiveMinutes = '2030-01-01T00:05:00.000Z';
export const expiresAt = '2030-12-31T00:00:00.000Z';
const scopes = ['payment.requests.create', 'payment.requests.read'];

export const create = {
  kind: 'create',
  agentId,
  merchantId,
  name: 'Checkout',
  runtime: 'node',
  environment: 'testnet',
  allowedScopes: scopes,
  at,
} as const satisfies AgentCommand;
export const change = { kind: 'change', agentId, merchantId, version: 1, at } as const satisfies AgentCommand;
export const register = {
  kind: 'register-credential',
  agentId,
  merchantId,
  credentialId: 'crd_1',
  kid: 'key-1',
  publicKey: 'K1',
  notBefore: at,
  expiresAt,
  challengeHash: 'h1',
  challengeExpiresAt: inFiveMinutes,
  at,
} as const satisfies AgentCommand;
export const prove = {
  kind: 'prove-credential',
  agentId,
  merchantId,
  credentialId: 'crd_1',
  challengeHash: 'h1',
  signatureValid: true,
  at,
} as const satisfies AgentCommand;
export const revoke = {
  kind: 'revoke-credential',
  agentId,
  merchantId,
  credentialId: 'crd_1',
  reason: 'compromised',
  at,
} as const satisfies AgentCommand;

export const created: AgentEvent = {
  type: 'AgentCreated',
  data: { ...own, name: 'Checkout', runtime: 'node', environment: 'testnet', allowed_scopes: scopes, created_at: at },
};
export const statusChanged = (status: AgentStatus): AgentEvent => ({
  type: 'AgentStatusChanged',
  data: { ...own, status, changed_at: at },
});
export const detailsChanged = (name: string, allowed_scopes: readonly string[] = scopes): AgentEvent => ({
  type: 'AgentDetailsChanged',
  data: { ...own, name, allowed_scopes, changed_at: at },
});
export const credentialRegistered: AgentEvent = {
  type: 'AgentCredentialRegistered',
  data: {
    ...own,
    credential_id: 'crd_1',
    kid: 'key-1',
    alg: 'Ed25519',
    public_key: 'K1',
    not_before: at,
    expires_at: expiresAt,
    challenge_hash: 'h1',
    challenge_expires_at: inFiveMinutes,
    registered_at: at,
  },
};
export const proofFailed: AgentEvent = {
  type: 'AgentCredentialProofFailed',
  data: { ...own, credential_id: 'crd_1', failed_at: at },
};
export const credentialActivated: AgentEvent = {
  type: 'AgentCredentialActivated',
  data: { ...own, credential_id: 'crd_1', activated_at: at },
};
export const credentialRevoked: AgentEvent = {
  type: 'AgentCredentialRevoked',
  data: { ...own, credential_id: 'crd_1', reason: 'compromised', revoked_at: at },
};
export const credentialRotated: AgentEvent = {
  type: 'AgentCredentialRevoked',
  data: { ...own, credential_id: 'crd_1', reason: 'rotated', revoked_at: at },
};
/** As written before revocations had a reason. */
export const credentialRevokedBefore: AgentEvent = {
  type: 'AgentCredentialRevoked',
  data: { ...own, credential_id: 'crd_1', revoked_at: at },
};
