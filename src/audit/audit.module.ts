import { Module } from '@nestjs/common';
import { AuditController } from './audit.controller';
import { Checkpoints } from './checkpoints';
import { PaymentProofsController } from './payment-proofs.controller';
import { SigningKey } from './signing-key';
import { TransparencyLog } from './transparency-log';

@Module({
  controllers: [AuditController, PaymentProofsController],
  providers: [SigningKey, TransparencyLog, Checkpoints],
  exports: [TransparencyLog],
})
export class AuditModule {}
