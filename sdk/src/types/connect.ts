export type WalletDevice = Readonly<{
  device_id: string;
  name: string;
  platform: string | null;
  status: 'active' | 'removed';
  created_at: string;
  updated_at: string;
  version: number;
}>;

/** Who asks, as the wallet shows it to the person who decides. */
type Asker = Readonly<{
  agent_id: string;
  agent_name: string;
  merchant_id: string;
  merchant_name: string;
  merchant_domain: string;
}>;

export type ConnectInvitation = Asker &
  Readonly<{
    connect_invitation_id: string;
    status: 'claimed' | 'approved' | 'rejected' | 'exchanged' | 'expired';
    label?: string | null;
    requested_scopes: readonly string[];
    scopes: readonly string[] | null;
    connection_id: string | null;
    claimed_at: string;
    updated_at: string;
    expires_at: string;
    version: number;
  }>;

export type PairingSession = Asker &
  Readonly<{
    pairing_session_id: string;
    status: 'pending' | 'approved' | 'rejected';
    requested_scopes: readonly string[];
    scopes: readonly string[] | null;
    connection_id: string | null;
    created_at: string;
    updated_at: string;
    expires_at: string;
    version: number;
  }>;

/** Includes what the agent shows to the person: a code to type or a link to open. */
export type StartedPairingSession = PairingSession & Readonly<{ code: string; uri: string }>;

export type Connection = Asker &
  Readonly<{
    connection_id: string;
    status: 'active' | 'paused' | 'revoked';
    revoked_reason: 'wallet' | 'device_removed' | 'credential_revoked' | 'merchant' | 'agent' | null;
    /** The names of merchant and agent when the person agreed, if they have changed since. */
    agreed_names?: Readonly<{ agent_name: string; merchant_name: string }>;
    scopes: readonly string[];
    created_at: string;
    updated_at: string;
    version: number;
  }>;

/** Whom the holder of a connection token acts for, and what it may currently do. */
export type CurrentConnection = Readonly<{
  connection: Connection;
  agent: Readonly<{ agent_id: string; name: string }>;
  merchant: Readonly<{ merchant_id: string; name: string; domain: string }>;
  scopes: readonly string[];
}>;

/** The token is returned here and never again. */
export type OpenedConnection = Readonly<{ connection: Connection; connection_token: string }>;
export type ClaimedInvitation = Readonly<{ connect_invitation: ConnectInvitation; claim_token: string }>;
