import { Module } from '@nestjs/common';
import { ConnectionsController } from './connections.controller';
import { ChangeConnectionHandler, RotateConnectionTokenHandler } from './connections.handlers';
import { RevokeWithDevice } from './revoke-with-device.reactor';

@Module({
  controllers: [ConnectionsController],
  providers: [ChangeConnectionHandler, RotateConnectionTokenHandler, RevokeWithDevice],
})
export class ConnectionsModule {}
