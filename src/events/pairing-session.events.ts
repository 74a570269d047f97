// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import {
  type AgentId,
  type ConnectionId,
  type CredentialId,
  type WalletDeviceId,
  type MerchantId,
  type PairingSessionId,
} from '../kernel/aggregates';
export type PairingSessionStarted = Readonly<{
  type: 'PairingSessionStarted';
  data: Readonly<{
    pairing_session_id: PairingSessionId;
    agent_id: AgentId;
    agent_name: string;
    /** The credential whose agent token started it; absent in older logs. */
    credential_id?: CredentialId;
    merchant_id: MerchantId;
    merchant_name: string;
    merchant_domain: string;
    requested_scopes: readonly string[];
    /** Keyed: eight characters could be recovered from a plain hash. */
    code_hash: string;
    /** Also keyed, and the same for every session with this code: finds the session for a wallet with only the code. */
    code_look_up?: string;
    started_at: string;
    expires_at: string;
  }>;
}>;

export type PairingCodeMissed = Readonly<{
  type: 'PairingCodeMissed';
  data: Readonly<{ pairing_session_id: PairingSessionId; missed_at: string; attempts: number }>;
}>;

/** Holds everything the connection needs, so that any reader of this event can create it. */
export type PairingSessionApproved = Readonly<{
  type: 'PairingSessionApproved';
  data: Readonly<{
    pairing_session_id: PairingSessionId;
    device_id: WalletDeviceId;
    agent_id: AgentId;
    merchant_id: MerchantId;
    connection_id: ConnectionId;
    scopes: readonly string[];
    approved_at: string;
  }>;
}>;

export type PairingSessionRejected = Readonly<{
  type: 'PairingSessionRejected';
  data: Readonly<{ pairing_session_id: PairingSessionId; device_id: WalletDeviceId; rejected_at: string }>;
}>;

export type PairingSessionExpired = Readonly<{
  type: 'PairingSessionExpired';
  data: Readonly<{ pairing_session_id: PairingSessionId; expired_at: string }>;
}>;

/** The agent that started it collected the token, which is not returned again. */
export type PairingTokenCollected = Readonly<{
  type: 'PairingTokenCollected';
  data: Readonly<{ pairing_session_id: PairingSessionId; connection_id: ConnectionId; collected_at: string }>;
}>;

export type PairingSessionEvent =
  | PairingSessionStarted
  | PairingCodeMissed
  | PairingSessionApproved
  | PairingSessionRejected
  | PairingSessionExpired
  | PairingTokenCollected;
