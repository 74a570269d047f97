import { type Claim, type ConnectInvitationCommand } from './connect-invitation';
import { type ConnectInvitationEvent } from '../../events/connect-invitation.events';

export const invitationId = 'inv_01JZZZZZZZZZZZZZZZZZZZZZZZ';
export const deviceId = 'dev_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const connectionId = 'con_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const at = '2030-01-01T00:00:00.000Z';
const keyEnds = '2030-01-01T00:10:00.000Z';
const claimEnds = '2030-01-01T00:19:00.000Z';
const claimedAt = '2030-01-01T00:09:00.000Z';
export const keyIsLate = keyEnds;
export const claimIsLate = claimEnds;

export const read = 'payment.requests.read';
export const create = 'payment.requests.create';

export const claimBy: Claim = {
  agentId: 'agt_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  agentName: 'Shop agent',
  credentialId: 'crd_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  merchantId: 'mer_01JZZZZZZZZZZZZZZZZZZZZZZZ',
  merchantName: 'Example Shop',
  merchantDomain: 'shop.example',
  requestedScopes: [create, read],
  claimTokenHash: 'c1',
};

type Of<Kind extends ConnectInvitationCommand['kind']> = Extract<ConnectInvitationCommand, { kind: Kind }>;

export const issueKey: Of<'issue-key'> = {
  kind: 'issue-key',
  invitationId,
  deviceId,
  label: 'Shopping',
  keyHash: 'k1',
  at,
  expiresAt: keyEnds,
};
export const claim: Of<'claim'> = { kind: 'claim', invitationId, claim: claimBy, at: claimedAt, expiresAt: claimEnds };
export const approve: Of<'approve'> = {
  kind: 'approve',
  invitationId,
  deviceId,
  connectionId,
  scopes: null,
  at: claimedAt,
};
export const reject: Of<'reject'> = { kind: 'reject', invitationId, deviceId, at: claimedAt };
export const exchange: Of<'exchange'> = { kind: 'exchange', invitationId, isOpen: true, at: claimedAt };
export const expire: Of<'expire'> = { kind: 'expire', invitationId, at: claimEnds };

export const issued: ConnectInvitationEvent = {
  type: 'ConnectKeyIssued',
  data: {
    invitation_id: invitationId,
    device_id: deviceId,
    label: 'Shopping',
    key_hash: 'k1',
    issued_at: at,
    expires_at: keyEnds,
  },
};
export const claimed: ConnectInvitationEvent = {
  type: 'ConnectInvitationClaimed',
  data: {
    invitation_id: invitationId,
    device_id: deviceId,
    agent_id: claimBy.agentId,
    agent_name: claimBy.agentName,
    credential_id: claimBy.credentialId,
    merchant_id: claimBy.merchantId,
    merchant_name: claimBy.merchantName,
    merchant_domain: claimBy.merchantDomain,
    requested_scopes: [create, read],
    claim_token_hash: 'c1',
    claimed_at: claimedAt,
    expires_at: claimEnds,
  },
};
export const approvedWith = (scopes: readonly string[]): ConnectInvitationEvent => ({
  type: 'ConnectInvitationApproved',
  data: {
    invitation_id: invitationId,
    device_id: deviceId,
    agent_id: claimBy.agentId,
    merchant_id: claimBy.merchantId,
    connection_id: connectionId,
    scopes,
    approved_at: claimedAt,
  },
});
export const approved = approvedWith([create, read]);
export const rejected: ConnectInvitationEvent = {
  type: 'ConnectInvitationRejected',
  data: { invitation_id: invitationId, device_id: deviceId, rejected_at: claimedAt },
};
export const expiredAt = (expired_at: string): ConnectInvitationEvent => ({
  type: 'ConnectInvitationExpired',
  data: { invitation_id: invitationId, device_id: deviceId, expired_at },
});
export const exchanged: ConnectInvitationEvent = {
  type: 'ConnectInvitationExchanged',
  data: {
    invitation_id: invitationId,
    device_id: deviceId,
    connection_id: connectionId,
    exchanged_at: claimedAt,
  },
};
