import { type PairingSessionCommand } from './pairing-session';
import { type PairingSessionEvent } from '../../events/pairing-session.events';

const sessionId = 'prs_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const deviceId = 'dev_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const connectionId = 'con_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const at = '2030-01-01T00:00:00.000Z';
export const late = '2030-01-01T00:10:00.000Z';
export const create = 'payment.requests.create';
export const read = 'payment.requests.read';

type Of<Kind extends PairingSessionCommand['kind']> = Extract<PairingSessionCommand, { kind: Kind }>;

export const start: Of<'start'> = {
  kind: 'start',
  sessionId,
  asker: {
    agentId: 'agt_01JZZZZZZZZZZZZZZZZZZZZZZZ',
    agentName: 'Shop agent',
    credentialId: 'crd_01JZZZZZZZZZZZZZZZZZZZZZZZ',
    merchantId: 'mer_01JZZZZZZZZZZZZZZZZZZZZZZZ',
    merchantName: 'Example Shop',
    merchantDomain: 'shop.example',
  },
  scopes: [create, read],
  codeHash: 'h1',
  codeLookUp: 'l1',
  at,
  expiresAt: late,
};
export const look: Of<'look'> = { kind: 'look', sessionId, rightCode: true, at };
export const approve: Of<'approve'> = {
  kind: 'approve',
  sessionId,
  rightCode: true,
  deviceId,
  connectionId,
  scopes: null,
  at,
};
export const reject: Of<'reject'> = { kind: 'reject', sessionId, rightCode: true, deviceId, at };
export const collect: Of<'collect-token'> = { kind: 'collect-token', sessionId, at };
export const expire: Of<'expire'> = { kind: 'expire', sessionId, at: late };

export const started: PairingSessionEvent = {
  type: 'PairingSessionStarted',
  data: {
    pairing_session_id: sessionId,
    agent_id: start.asker.agentId,
    agent_name: start.asker.agentName,
    credential_id: start.asker.credentialId,
    merchant_id: start.asker.merchantId,
    merchant_name: start.asker.merchantName,
    merchant_domain: start.asker.merchantDomain,
    requested_scopes: [create, read],
    code_hash: 'h1',
    code_look_up: 'l1',
    started_at: at,
    expires_at: late,
  },
};
export const missed = (attempts: number): PairingSessionEvent => ({
  type: 'PairingCodeMissed',
  data: { pairing_session_id: sessionId, missed_at: at, attempts },
});
export const approvedWith = (scopes: readonly string[]): PairingSessionEvent => ({
  type: 'PairingSessionApproved',
  data: {
    pairing_session_id: sessionId,
    device_id: deviceId,
    agent_id: start.asker.agentId,
    merchant_id: start.asker.merchantId,
    connection_id: connectionId,
    scopes,
    approved_at: at,
  },
});
export const approved = approvedWith([create, read]);
export const rejected: PairingSessionEvent = {
  type: 'PairingSessionRejected',
  data: { pairing_session_id: sessionId, device_id: deviceId, rejected_at: at },
};
export const expiredAt = (expired_at: string): PairingSessionEvent => ({
  type: 'PairingSessionExpired',
  data: { pairing_session_id: sessionId, expired_at },
});
export const collected: PairingSessionEvent = {
  type: 'PairingTokenCollected',
  data: { pairing_session_id: sessionId, connection_id: connectionId, collected_at: at },
};
