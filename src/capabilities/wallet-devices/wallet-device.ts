import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { type WalletDeviceEvent } from './wallet-device.events';

export type WalletDeviceCommand = Readonly<
  | { kind: 'register'; deviceId: string; name: string; platform: string | null; tokenHash: string; at: string }
  | { kind: 'rotate-token'; deviceId: string; tokenHash: string; at: string }
  | { kind: 'remove'; deviceId: string; at: string }
>;

export type WalletDeviceState = Readonly<
  { status: 'unknown' } | { status: 'active'; tokenHash: string } | { status: 'removed' }
>;

/** A wallet on somebody's phone or computer. It holds keys we never see; we know it by a token. */
export const walletDevice: Decider<WalletDeviceState, WalletDeviceCommand, WalletDeviceEvent> = {
  category: 'wallet_device',
  initial: { status: 'unknown' },

  decide(command, state) {
    switch (command.kind) {
      case 'register':
        if (state.status !== 'unknown') return [];
        return [
          {
            type: 'WalletDeviceRegistered',
            data: {
              device_id: command.deviceId,
              name: command.name,
              platform: command.platform,
              token_hash: command.tokenHash,
              registered_at: command.at,
            },
          },
        ];
      case 'rotate-token':
        if (state.status !== 'active') throw refuse('resource_not_found');
        if (state.tokenHash === command.tokenHash) return [];
        return [
          {
            type: 'WalletDeviceTokenRotated',
            data: { device_id: command.deviceId, token_hash: command.tokenHash, rotated_at: command.at },
          },
        ];
      case 'remove':
        if (state.status === 'unknown') throw refuse('resource_not_found');
        if (state.status === 'removed') return [];
        return [{ type: 'WalletDeviceRemoved', data: { device_id: command.deviceId, removed_at: command.at } }];
      default:
        return assertNever(command);
    }
  },

  evolve(_state, event) {
    switch (event.type) {
      case 'WalletDeviceRegistered':
      case 'WalletDeviceTokenRotated':
        return { status: 'active', tokenHash: event.data.token_hash };
      case 'WalletDeviceRemoved':
        return { status: 'removed' };
      default:
        return assertNever(event);
    }
  },
};
