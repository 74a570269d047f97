import { type WalletDeviceEvent } from '../events/wallet-device.events';
import { notFollowed } from '../kernel/assert-never';
import { type Fold } from '../kernel/decider';

export type KnownDevice = Readonly<{
  status: 'active';
  tokenHash: string;
  /** The previous token, and when it was replaced. */
  replaced: Readonly<{ tokenHash: string; at: string }> | null;
  version: number;
}>;

/** The part of a wallet device that decides whether to admit it; undefined before registration and after removal. */
export const deviceInUse: Fold<KnownDevice | undefined, WalletDeviceEvent> = {
  category: 'wallet_device',
  initial: undefined,

  evolve(state, event) {
    switch (event.type) {
      case 'WalletDeviceRegistered':
        return { status: 'active', tokenHash: event.data.token_hash, replaced: null, version: 1 };
      case 'WalletDeviceTokenRotated': {
        if (state === undefined) return state;
        const { token_hash: tokenHash, rotated_at: at } = event.data;
        return { ...state, tokenHash, replaced: { tokenHash: state.tokenHash, at }, version: state.version + 1 };
      }
      case 'WalletDeviceRemoved':
        return undefined;
      default:
        return notFollowed(event, state);
    }
  },
};
