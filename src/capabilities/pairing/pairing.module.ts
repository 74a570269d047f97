import { Module } from '@nestjs/common';
import { EnterCode } from './enter-code';
import { ExpireSessions } from './expire-sessions';
import { OpenPairedConnection } from './open-connection';
import { PairingCodes } from './pairing-code';
import { PairingController } from './pairing.controller';
import { TypedCodes } from './typed-codes';
import {
  ApprovePairingHandler,
  ReadPairingSessionHandler,
  RejectPairingHandler,
  StartPairingHandler,
} from './pairing.handlers';

@Module({
  controllers: [PairingController],
  providers: [
    PairingCodes,
    TypedCodes,
    EnterCode,
    OpenPairedConnection,
    ExpireSessions,
    StartPairingHandler,
    ApprovePairingHandler,
    RejectPairingHandler,
    ReadPairingSessionHandler,
  ],
})
export class PairingModule {}
