import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { rotatedMeanwhile } from '../../kernel/credential-rules';
import { refuse } from '../../kernel/errors';
import { type WalletDeviceEvent } from '../../events/wallet-device.events';
import { type WalletDeviceId } from '../../kernel/aggregates';

export type WalletDeviceCommand = Readonly<
  | { kind: 'register'; deviceId: WalletDeviceId; name: string; platform: string | null; tokenHash: string; at: string }
  /** `heldHash` is the hash of the caller's token: of several callers with the same token, the first replaces it. */
  | { kind: 'rotate-token'; deviceId: WalletDeviceId; heldHash: string; tokenHash: string; at: string }
  | { kind: 'remove'; deviceId: WalletDeviceId; at: string }
>;

export type WalletDeviceState = Readonly<{ status: 'unknown' } | ActiveDevice | { status: 'removed' }>;

export type ActiveDevice = Readonly<{
  status: 'active';
  tokenHash: string;
  /** The previous token, and until when it was valid. */
  replaced: Readonly<{ tokenHash: string; at: string }> | null;
  version: number;
}>;

/** A wallet on someone's phone or computer. It holds keys we never see; we identify it by a token. */
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
        if (state.tokenHash !== command.heldHash) throw rotatedMeanwhile(state);
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

  evolve(state, event) {
    switch (event.type) {
      case 'WalletDeviceRegistered':
        return { status: 'active', tokenHash: event.data.token_hash, replaced: null, version: 1 };
      case 'WalletDeviceTokenRotated': {
        const { token_hash: tokenHash, rotated_at: at } = event.data;
        if (state.status !== 'active') throw new Error('a token was rotated of no device');
        const replaced = { tokenHash: state.tokenHash, at };
        return { status: 'active', tokenHash, replaced, version: state.version + 1 };
      }
      case 'WalletDeviceRemoved':
        return { status: 'removed' };
      default:
        return assertNever(event);
    }
  },
};
