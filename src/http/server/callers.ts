import {
  type AccountId,
  type AgentId,
  type ApiKeyId,
  type ConnectionId,
  type CredentialId,
  type InvitationId,
  type MerchantId,
  type SessionId,
  type WalletDeviceId,
} from '../../kernel/aggregates';

export type AgentCaller = Readonly<{
  agentId: AgentId;
  agentName: string;
  merchantId: MerchantId;
  credentialId: CredentialId;
  allowedScopes: readonly string[];
}>;

export type ApiKeyCaller = Readonly<{ apiKeyId: ApiKeyId; merchantId: MerchantId }>;

export type ClaimCaller = Readonly<{ invitationId: InvitationId }>;

export type ConnectionCaller = Readonly<{
  connectionId: ConnectionId;
  deviceId: WalletDeviceId;
  agentId: AgentId;
  agentName: string;
  merchantId: MerchantId;
  merchantName: string;
  merchantDomain: string;
  /** What the connection may do now: granted by the wallet and still allowed for the agent. */
  scopes: readonly string[];
}>;

export type MerchantCaller = Readonly<{ sessionId: SessionId; accountId: AccountId; merchantId: MerchantId }>;
