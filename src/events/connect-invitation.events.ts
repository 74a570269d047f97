// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type MaybeUnderKey } from '../kernel/made-under-key';
import {
  type AgentId,
  type ConnectionId,
  type CredentialId,
  type WalletDeviceId,
  type InvitationId,
  type MerchantId,
} from '../kernel/aggregates';

/** The wallet issued a Connect Key, which an agent can claim once. */
export type ConnectKeyIssued = Readonly<{
  type: 'ConnectKeyIssued';
  data: MaybeUnderKey &
    Readonly<{
      invitation_id: InvitationId;
      device_id: WalletDeviceId;
      label: string | null;
      key_hash: string;
      issued_at: string;
      expires_at: string;
    }>;
}>;

export type ConnectInvitationClaimed = Readonly<{
  type: 'ConnectInvitationClaimed';
  data: Readonly<{
    invitation_id: InvitationId;
    device_id: WalletDeviceId;
    agent_id: AgentId;
    agent_name: string;
    /** The credential whose agent token claimed it; absent in older logs. */
    credential_id?: CredentialId;
    merchant_id: MerchantId;
    merchant_name: string;
    merchant_domain: string;
    requested_scopes: readonly string[];
    claim_token_hash: string;
    claimed_at: string;
    expires_at: string;
  }>;
}>;

/** Holds everything the connection needs, so that any reader of this event can create it. */
export type ConnectInvitationApproved = Readonly<{
  type: 'ConnectInvitationApproved';
  data: Readonly<{
    invitation_id: InvitationId;
    device_id: WalletDeviceId;
    agent_id: AgentId;
    merchant_id: MerchantId;
    connection_id: ConnectionId;
    scopes: readonly string[];
    approved_at: string;
  }>;
}>;

export type ConnectInvitationRejected = Readonly<{
  type: 'ConnectInvitationRejected';
  data: Readonly<{ invitation_id: InvitationId; device_id: WalletDeviceId; rejected_at: string }>;
}>;

export type ConnectInvitationExpired = Readonly<{
  type: 'ConnectInvitationExpired';
  data: Readonly<{ invitation_id: InvitationId; device_id: WalletDeviceId; expired_at: string }>;
}>;

export type ConnectInvitationExchanged = Readonly<{
  type: 'ConnectInvitationExchanged';
  data: Readonly<{
    invitation_id: InvitationId;
    device_id: WalletDeviceId;
    connection_id: ConnectionId;
    exchanged_at: string;
  }>;
}>;

export type ConnectInvitationEvent =
  | ConnectKeyIssued
  | ConnectInvitationClaimed
  | ConnectInvitationApproved
  | ConnectInvitationRejected
  | ConnectInvitationExpired
  | ConnectInvitationExchanged;
