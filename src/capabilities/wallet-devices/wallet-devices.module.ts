import { Module } from '@nestjs/common';
import { DeviceEventsController } from './device-events.controller';
import { DeviceFeed } from './device-feed';
import { WalletDevicesController } from './wallet-devices.controller';
import { ChangeWalletDeviceHandler } from './wallet-devices.handlers';

@Module({
  controllers: [WalletDevicesController, DeviceEventsController],
  providers: [ChangeWalletDeviceHandler, DeviceFeed],
})
export class WalletDevicesModule {}
