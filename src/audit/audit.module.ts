import { Module } from '@nestjs/common';
import { AgentPaymentAuditController } from './agent-payment-audit.controller';
import { AuditController } from './audit.controller';
import { KnownServiceSecret } from './log/known-service-secret';
import { Checkpoints } from './log/checkpoints';
import { PaymentTimelineController } from './payment-timeline.controller';
import { PaymentProofsController } from './payment-proofs.controller';
import { PaymentProver } from './payment-prover';
import { SigningKey } from './log/signing-key';
import { TransparencyLog } from './log/transparency-log';

@Module({
  controllers: [AuditController, PaymentProofsController, PaymentTimelineController, AgentPaymentAuditController],
  providers: [KnownServiceSecret, SigningKey, TransparencyLog, Checkpoints, PaymentProver],
  exports: [TransparencyLog],
})
export class AuditModule {}
