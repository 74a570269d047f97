import { Module } from '@nestjs/common';
import { WalletDevicesController } from './wallet-devices.controller';
import { ChangeWalletDeviceHandler } from './wallet-devices.handlers';

@Module({ controllers: [WalletDevicesController], providers: [ChangeWalletDeviceHandler] })
export class WalletDevicesModule {}
