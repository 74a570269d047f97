import { type WalletDeviceCommand } from './wallet-device';
import { type WalletDeviceEvent } from '../../events/wallet-device.events';

const deviceId = 'dev_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const at = '2030-01-01T00:00:00.000Z';

export const register = { kind: 'register', deviceId, name: 'Phone', platform: 'ios', tokenHash: 'h1', at } as const;
export const rotate = { kind: 'rotate-token', deviceId, heldHash: 'h1', tokenHash: 'h2', at } as const;
export const remove = { kind: 'remove', deviceId, at } as const satisfies WalletDeviceCommand;

export const registered: WalletDeviceEvent = {
  type: 'WalletDeviceRegistered',
  data: { device_id: deviceId, name: 'Phone', platform: 'ios', token_hash: 'h1', registered_at: at },
};
export const rotated: WalletDeviceEvent = {
  type: 'WalletDeviceTokenRotated',
  data: { device_id: deviceId, token_hash: 'h2', rotated_at: at },
};
export const removed: WalletDeviceEvent = {
  type: 'WalletDeviceRemoved',
  data: { device_id: deviceId, removed_at: at },
};
