import { Module } from '@nestjs/common';
import { ConnectionsController } from './connections.controller';
import { ChangeConnectionHandler, RotateConnectionTokenHandler } from './connections.handlers';
import { RevokeWithCredential } from './revoke-with-credential.reactor';
import { RevokeWithDevice } from './revoke-with-device.reactor';

@Module({
  controllers: [ConnectionsController],
  providers: [ChangeConnectionHandler, RotateConnectionTokenHandler, RevokeWithDevice, RevokeWithCredential],
})
export class ConnectionsModule {}
