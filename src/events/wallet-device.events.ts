// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
import { type WalletDeviceId } from '../kernel/aggregates';
export type WalletDeviceRegistered = Readonly<{
  type: 'WalletDeviceRegistered';
  data: Readonly<{
    device_id: WalletDeviceId;
    name: string;
    platform: string | null;
    token_hash: string;
    registered_at: string;
  }>;
}>;

export type WalletDeviceTokenRotated = Readonly<{
  type: 'WalletDeviceTokenRotated';
  data: Readonly<{ device_id: WalletDeviceId; token_hash: string; rotated_at: string }>;
}>;

export type WalletDeviceRemoved = Readonly<{
  type: 'WalletDeviceRemoved';
  data: Readonly<{ device_id: WalletDeviceId; removed_at: string }>;
}>;

export type WalletDeviceEvent = WalletDeviceRegistered | WalletDeviceTokenRotated | WalletDeviceRemoved;
