import { Module } from '@nestjs/common';
import { AuditController } from './audit.controller';
import { Checkpoints } from './log/checkpoints';
import { PaymentTimelineController } from './payment-timeline.controller';
import { PaymentProofsController } from './payment-proofs.controller';
import { SigningKey } from './log/signing-key';
import { TransparencyLog } from './log/transparency-log';

@Module({
  controllers: [AuditController, PaymentProofsController, PaymentTimelineController],
  providers: [SigningKey, TransparencyLog, Checkpoints],
  exports: [TransparencyLog],
})
export class AuditModule {}
