import { notFollowed } from '../src/kernel/assert-never';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { type WalletDeviceEvent } from '../src/events/wallet-device.events';
import { change, collection, create, ignored, type Projection, type Step } from '../src/platform/read-model/projection';
import { type WalletDeviceId } from '../src/kernel/aggregates';

export type WalletDeviceDocument = Readonly<{
  id: WalletDeviceId;
  name: string;
  platform: string | null;
  status: 'active' | 'removed';
  created_at: string;
  updated_at: string;
  version: number;
}>;

export const walletDevices = collection<WalletDeviceDocument>('wallet_devices');

export const walletDevicesProjection: Projection = {
  name: 'wallet-devices',
  version: 1,
  collections: [walletDevices],
  project: (recorded) => steps(recorded as RecordedEvent & WalletDeviceEvent),
};

function steps(event: RecordedEvent & WalletDeviceEvent): readonly Step[] {
  switch (event.type) {
    case 'WalletDeviceRegistered': {
      const { device_id: id, name, platform, registered_at: at } = event.data;
      const { version } = event;
      return [create(walletDevices, { id, name, platform, status: 'active', created_at: at, updated_at: at, version })];
    }
    case 'WalletDeviceTokenRotated':
      return [touch(event, event.data.rotated_at, {})];
    case 'WalletDeviceRemoved':
      return [touch(event, event.data.removed_at, { status: 'removed' })];
    default:
      return notFollowed(event, ignored);
  }
}

const touch = (
  { data, version }: RecordedEvent & WalletDeviceEvent,
  at: string,
  changes: Partial<WalletDeviceDocument>,
): Step => change(walletDevices, data.device_id, (device) => ({ ...device, ...changes, updated_at: at, version }));
