// These names and shapes are on disk and on the wire: add a new event, never edit an old one.
export type WalletDeviceRegistered = Readonly<{
  type: 'WalletDeviceRegistered';
  data: Readonly<{
    device_id: string;
    name: string;
    platform: string | null;
    token_hash: string;
    registered_at: string;
  }>;
}>;

export type WalletDeviceTokenRotated = Readonly<{
  type: 'WalletDeviceTokenRotated';
  data: Readonly<{ device_id: string; token_hash: string; rotated_at: string }>;
}>;

export type WalletDeviceRemoved = Readonly<{
  type: 'WalletDeviceRemoved';
  data: Readonly<{ device_id: string; removed_at: string }>;
}>;

export type WalletDeviceEvent = WalletDeviceRegistered | WalletDeviceTokenRotated | WalletDeviceRemoved;
