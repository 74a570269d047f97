// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import {
  type AgentId,
  type ConnectionId,
  type CredentialId,
  type WalletDeviceId,
  type MerchantId,
  type OriginId,
} from '../kernel/aggregates';

/** A person let an agent request payments. Records what was agreed and when; each use checks if it is still valid. */
export type ConnectionCreated = Readonly<{
  type: 'ConnectionCreated';
  data: Readonly<{
    connection_id: ConnectionId;
    device_id: WalletDeviceId;
    agent_id: AgentId;
    agent_name: string;
    /** The agent's credential that asked for it; absent in older logs. */
    credential_id?: CredentialId;
    merchant_id: MerchantId;
    merchant_name: string;
    merchant_domain: string;
    scopes: readonly string[];
    /** The invitation or pairing session it came from. */
    origin_id: OriginId;
    /** The number of the service secret its token was derived from, if not the first. */
    secret_number?: number;
    created_at: string;
  }>;
}>;

/**
 * Tokens are derived from the service secret, the connection and a generation from 1; this revokes the previous one.
 */
export type ConnectionTokenRotated = Readonly<{
  type: 'ConnectionTokenRotated';
  data: Readonly<{
    connection_id: ConnectionId;
    device_id: WalletDeviceId;
    generation: number;
    /** As in ConnectionCreated. */
    secret_number?: number;
    rotated_at: string;
  }>;
}>;

/** The token was collected with a different credential of the agent than the one that asked. */
export type ConnectionTokenHandedOver = Readonly<{
  type: 'ConnectionTokenHandedOver';
  data: Readonly<{
    connection_id: ConnectionId;
    device_id: WalletDeviceId;
    credential_id: CredentialId;
    handed_over_at: string;
  }>;
}>;

export type ConnectionPaused = Readonly<{
  type: 'ConnectionPaused';
  data: Readonly<{
    connection_id: ConnectionId;
    device_id: WalletDeviceId;
    merchant_id: MerchantId;
    paused_at: string;
  }>;
}>;

export type ConnectionResumed = Readonly<{
  type: 'ConnectionResumed';
  data: Readonly<{
    connection_id: ConnectionId;
    device_id: WalletDeviceId;
    merchant_id: MerchantId;
    resumed_at: string;
  }>;
}>;

export const CONNECTION_ENDS = ['wallet', 'device_removed', 'credential_revoked', 'merchant', 'agent'] as const;
export type ConnectionEnd = (typeof CONNECTION_ENDS)[number];

export type ConnectionRevoked = Readonly<{
  type: 'ConnectionRevoked';
  data: Readonly<{
    connection_id: ConnectionId;
    device_id: WalletDeviceId;
    merchant_id: MerchantId;
    reason: ConnectionEnd;
    /** The credential it was opened with, if that was the reason. */
    credential_id?: CredentialId;
    revoked_at: string;
  }>;
}>;

export type ConnectionEvent =
  | ConnectionCreated
  | ConnectionTokenRotated
  | ConnectionTokenHandedOver
  | ConnectionPaused
  | ConnectionResumed
  | ConnectionRevoked;
