// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type MaybeUnderKey } from '../kernel/made-under-key';
import { type AgentId, type CredentialId, type MerchantId } from '../kernel/aggregates';
export type AgentCreated = Readonly<{
  type: 'AgentCreated';
  data: MaybeUnderKey &
    Readonly<{
      agent_id: AgentId;
      merchant_id: MerchantId;
      name: string;
      runtime: string;
      environment: string;
      allowed_scopes: readonly string[];
      created_at: string;
    }>;
}>;

export type AgentStatus = 'pending' | 'active' | 'suspended' | 'revoked';

export type AgentStatusChanged = Readonly<{
  type: 'AgentStatusChanged';
  data: Readonly<{ agent_id: AgentId; merchant_id: MerchantId; status: AgentStatus; changed_at: string }>;
}>;

export type AgentDetailsChanged = Readonly<{
  type: 'AgentDetailsChanged';
  data: Readonly<{
    agent_id: AgentId;
    merchant_id: MerchantId;
    name: string;
    allowed_scopes: readonly string[];
    changed_at: string;
  }>;
}>;

/**
 * Why a credential is revoked. Revoking a compromised key also revokes the connections opened with it; after a mere
 * rotation, they stay with the agent's other keys.
 */
export const REVOCATION_REASONS = ['compromised', 'rotated'] as const;
export type RevocationReason = (typeof REVOCATION_REASONS)[number];

/** The challenge itself is not kept, only its hash. */
export type AgentCredentialRegistered = Readonly<{
  type: 'AgentCredentialRegistered';
  data: MaybeUnderKey &
    Readonly<{
      agent_id: AgentId;
      merchant_id: MerchantId;
      credential_id: CredentialId;
      kid: string;
      alg: 'Ed25519';
      /** base64url of 32 bytes. */
      public_key: string;
      not_before: string;
      expires_at: string;
      challenge_hash: string;
      challenge_expires_at: string;
      registered_at: string;
    }>;
}>;

export type AgentCredentialProofFailed = Readonly<{
  type: 'AgentCredentialProofFailed';
  data: Readonly<{ agent_id: AgentId; merchant_id: MerchantId; credential_id: CredentialId; failed_at: string }>;
}>;

export type AgentCredentialActivated = Readonly<{
  type: 'AgentCredentialActivated';
  data: Readonly<{ agent_id: AgentId; merchant_id: MerchantId; credential_id: CredentialId; activated_at: string }>;
}>;

/** Recorded again if a rotated credential turns out to be compromised. Without a reason (older logs): rotated. */
export type AgentCredentialRevoked = Readonly<{
  type: 'AgentCredentialRevoked';
  data: Readonly<{
    agent_id: AgentId;
    merchant_id: MerchantId;
    credential_id: CredentialId;
    reason?: RevocationReason;
    revoked_at: string;
  }>;
}>;

export type AgentEvent =
  | AgentCreated
  | AgentStatusChanged
  | AgentDetailsChanged
  | AgentCredentialRegistered
  | AgentCredentialProofFailed
  | AgentCredentialActivated
  | AgentCredentialRevoked;
