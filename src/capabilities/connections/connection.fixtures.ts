import { type ConnectionCommand } from './connection';
import { type ConnectionEvent } from '../../events/connection.events';

const connection_id = 'con_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const device_id = 'dev_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const merchant_id = 'mer_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const at = '2030-01-01T00:00:00.000Z';
const named = { connectionId: connection_id, deviceId: device_id, at } as const;

export const pause: ConnectionCommand = { kind: 'pause', ...named };
export const resume: ConnectionCommand = { kind: 'resume', ...named };
export const revoke: ConnectionCommand = { kind: 'revoke', reason: 'wallet', ...named };
export const rotate: ConnectionCommand = { kind: 'rotate-token', generation: 2, secret: 1, ...named };

export const created: ConnectionEvent = {
  type: 'ConnectionCreated',
  data: {
    connection_id,
    device_id,
    agent_id: 'agt_01JZZZZZZZZZZZZZZZZZZZZZZZ',
    agent_name: 'Shop agent',
    merchant_id,
    merchant_name: 'Example Shop',
    merchant_domain: 'shop.example',
    scopes: ['payment.requests.create'],
    origin_id: 'inv_01JZZZZZZZZZZZZZZZZZZZZZZZ',
    created_at: at,
  },
};
export const paused: ConnectionEvent = {
  type: 'ConnectionPaused',
  data: { connection_id, device_id, merchant_id, paused_at: at },
};
export const resumed: ConnectionEvent = {
  type: 'ConnectionResumed',
  data: { connection_id, device_id, merchant_id, resumed_at: at },
};
export const revoked: ConnectionEvent = {
  type: 'ConnectionRevoked',
  data: { connection_id, device_id, merchant_id, reason: 'wallet', revoked_at: at },
};
export const rotated: ConnectionEvent = {
  type: 'ConnectionTokenRotated',
  data: { connection_id, device_id, generation: 2, rotated_at: at },
};
